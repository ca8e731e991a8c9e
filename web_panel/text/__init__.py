"""Messages and languages of the panel."""
