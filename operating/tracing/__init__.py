"""Spans of this program, sent to an OpenTelemetry collector where the operator names one."""
