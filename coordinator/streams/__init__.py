"""Streams: where the entries of tasks wait for workers."""
