"""Figures of this machine, against baselines measured in the same run."""
