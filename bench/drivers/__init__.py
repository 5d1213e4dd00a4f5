"""Programs that rows start, so that what is measured runs in a process of its own."""
