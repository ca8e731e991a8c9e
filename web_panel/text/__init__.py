"""Messages and the language of the panel."""
