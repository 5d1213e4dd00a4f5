"""The worker bridge: leases tasks from streams, has them executed, and reports each outcome to the coordinator."""
