"""The link to Redis: who this side is there, whose certificate it takes, and what is said when they do not fit."""
