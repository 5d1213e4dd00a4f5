"""Bytes that cross a process boundary, and how they are read: standard library only."""
