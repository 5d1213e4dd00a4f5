"""Pure decisions: no I/O, no clock, standard library only."""
