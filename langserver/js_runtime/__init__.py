"""The JavaScript runtime: user code in a V8 isolate of its own, inside the sealed child."""

from __future__ import annotations

from langserver.js_runtime.run import JsRuntime

__all__ = ["JsRuntime"]
