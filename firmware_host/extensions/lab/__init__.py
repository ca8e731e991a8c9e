"""The laboratory: players that meet, are measured and tuned; evenings that break."""
