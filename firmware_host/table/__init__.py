"""One game in progress: a state machine fed with events, without I/O."""
