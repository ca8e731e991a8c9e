"""A club: tournaments with rounds, pairings and standings, an archive of verified records, all its tables live."""
