"""The description that the server is held to."""
