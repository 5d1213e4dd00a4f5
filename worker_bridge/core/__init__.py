"""Pure decisions: no clock, no database, no network."""
