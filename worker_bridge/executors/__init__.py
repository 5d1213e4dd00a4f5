"""Executors: one for each kind of node."""
