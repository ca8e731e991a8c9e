"""The Wi-Fi that a wireless scanner joins (PORT = "wifi" in config.py); `lodestone board sketch` does not write it."""

NAME = ""  # the network's name (SSID), 2.4 GHz
PASSWORD = ""
HOSTNAME = "lodestone-scanner"  # its name in the network: lodestone-scanner.local
