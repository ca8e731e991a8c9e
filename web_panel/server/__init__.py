"""The server: connections, streams, limits, headers."""
