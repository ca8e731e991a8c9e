"""The workshop of a built board: its wizards, as ``lodestone hardware`` and on the host's page."""
