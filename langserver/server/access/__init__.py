"""What lets callers in: tokens, certificates, and the files that they are in."""
