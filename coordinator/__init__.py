"""The reference coordinator: a task table, leases on it, retries, and an outbox to streams."""
