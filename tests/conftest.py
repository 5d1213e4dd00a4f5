"""What holds for all tests."""

from hypothesis import settings

# A deadline an example would make a test's outcome a matter of the machine's load.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")
