"""The process from which children are forked, the child's life, and the server's handle on both."""
