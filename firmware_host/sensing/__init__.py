"""From readings to stable sensor states: debounce, levels, health of the scan, faults."""
