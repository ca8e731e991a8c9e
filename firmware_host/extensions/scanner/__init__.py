"""A microcontroller reads the sensors, on USB, a UART or in the Wi-Fi: the scheme ``serial`` (README.md)."""
