"""The computer player of Octiles: a fast core, values of nodes that self-play has given, and a search over both."""
