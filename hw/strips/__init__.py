"""One module per kind of strip, found by the entry points ``lodestone.strips`` (docs/adding-a-strip.md)."""
