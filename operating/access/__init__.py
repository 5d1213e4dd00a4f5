"""Tokens and certificates: what lets callers in, what a caller shows, and the files that they are in."""
