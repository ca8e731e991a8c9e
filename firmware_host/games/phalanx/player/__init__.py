"""The computer player of Phalanx.

    thinking.py           levels, choices, lines and reasons
    armies.py             what a search needs beside the rules: estimates, proofs, wins within a turn (compiled)
    forms.py fitted.py    the weights of the estimate: set by hand, and fitted by the laboratory

The rules that it plays by are the game's flat form; the search is searching/alpha_beta.py.
"""
