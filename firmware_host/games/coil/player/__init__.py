"""The computer player of Coil: Monte Carlo tree search in the main phase, and an estimate of Black's chance before."""
