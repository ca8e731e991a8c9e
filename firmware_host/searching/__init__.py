"""Searches that games share: one file for each kind of game. They know no game; a game brings moves and evaluation.

``COMPILED`` are the files that are compiled to machine code where there is a compiler (firmware_host/compile.py).
"""

COMPILED: tuple[str, ...] = ("alpha_beta.py", "matrix.py", "tree.py")
