"""One file a sensor scheme, found by the entry points ``lodestone.sensors`` (docs/adding-a-sensor.md)."""
