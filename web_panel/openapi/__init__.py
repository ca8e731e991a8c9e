"""The OpenAPI description; tests hold the server to it."""
