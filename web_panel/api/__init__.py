"""The JSON endpoints."""
