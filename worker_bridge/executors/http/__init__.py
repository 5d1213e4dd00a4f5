"""The http node: one request to the outside, on connections that are shared, judged by the egress policy."""
