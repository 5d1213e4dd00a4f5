"""Generated from proto/coordinator.proto by `make proto`."""
