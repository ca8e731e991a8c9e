"""One module per sensor scheme, found by the entry points ``lodestone.sensors`` (docs/adding-a-sensor.md)."""
