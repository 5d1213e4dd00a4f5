"""What does what the decisions say: reads, leases, has executed, reports, reclaims."""
