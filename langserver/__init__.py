"""A language server that executes untrusted Python and JavaScript, each task in its own sealed child process."""

__version__ = "0.1.0"
