"""The program on the Pi: rules, the table, the loop and the command line."""

import os
import sys
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from pathlib import Path

if os.environ.get("LODESTONE_PURE"):
    # For tests, and for whoever doubts the compiled search: its plain text runs instead.
    for _folder in Path(__file__).parent.glob("**/"):
        sys.path_importer_cache[str(_folder)] = FileFinder(str(_folder), (SourceFileLoader, SOURCE_SUFFIXES))
