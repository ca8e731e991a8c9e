"""Wi-Fi without a screen: the machine's own hotspot where it knows no network, and the choice of one from a phone."""
