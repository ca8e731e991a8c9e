"""Rules and table as services: a JSON object on each line."""
