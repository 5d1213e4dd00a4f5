"""What the command line does: one file a command. None of them loads gRPC unless its work needs it."""
