"""What this side shows to servers and asks of them: token, certificates, and what to check when they do not fit."""
