"""Tables that are far from each other play one game through an MQTT broker (docs/far-tables.md)."""
