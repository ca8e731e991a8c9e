"""Lodestone for other people's games, boards and tests: the one public interface (docs/kit.md).

:mod:`lodestone.tables` is a whole table in one process: rules, real drivers over simulated chips, journal, lights, on
simulated time. :mod:`lodestone.boards` is a board without a game, whose parts can fail. :mod:`lodestone.server` is the
running program with its panel. :mod:`lodestone.contracts` are tests to inherit. The fixtures of
:mod:`lodestone.pytest_plugin` open and close all of these.

All other packages are internal and may change with any version. This one follows semantic versioning: what goes is told
by a DeprecationWarning for one minor version before.
"""

from importlib.metadata import version

__version__ = version("lodestone-board")
