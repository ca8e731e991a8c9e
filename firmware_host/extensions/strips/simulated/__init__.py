"""The pixels of each kind, as their data sheets and protocols tell: they know nothing of the drivers."""
