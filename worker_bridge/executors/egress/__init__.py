"""Where requests may go: decided from a URL and from addresses, without a network."""
