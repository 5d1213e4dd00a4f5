"""The settings of the coordinator: environment variables, checked when they are read."""
