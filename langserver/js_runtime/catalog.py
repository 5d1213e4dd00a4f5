"""What `require` offers. Import-light: the server reads it to answer GetCapabilities."""

from __future__ import annotations

MODULES: tuple[str, ...] = ()
