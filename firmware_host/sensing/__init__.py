"""From readings to stable sensor states: debouncing, levels, plausibility of scans, faults."""
