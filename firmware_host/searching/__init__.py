"""Searches shared by games, one file for each kind of game. A game supplies its moves and evaluation.

``COMPILED`` are the files that are compiled to machine code if there is a compiler (firmware_host/compile.py).
"""

COMPILED: tuple[str, ...] = ("alpha_beta.py", "random_numbers.py", "matrix.py", "tree.py")
