"""Generated from proto/lang.proto by `make proto`."""
