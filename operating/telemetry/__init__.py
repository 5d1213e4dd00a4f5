"""What an operator sees: figures for Prometheus, log lines."""
