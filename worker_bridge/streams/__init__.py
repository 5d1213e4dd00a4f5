"""Streams: the port, and what is behind it."""
