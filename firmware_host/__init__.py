"""The program on the Pi: rules, the table, the loop and the command line.

A process runs the compiled form of the search wholly or not at all. It takes it when every text that was compiled is
still the text that is there; while a new one is being made, or with ``LODESTONE_PURE=1``, the plain text runs.
"""

import hashlib
import json
import os
import sys
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    SOURCE_SUFFIXES,
    FileFinder,
    PathFinder,
    SourceFileLoader,
    SourcelessFileLoader,
)
from pathlib import Path

HASHES = Path(__file__).with_name("compiled.hashes")
"""There while the compiled form is whole: module, from the program's root on → SHA-256 of the text it was made from."""
GROUP = "lodestone_compiled"
"""The name of what the compiled modules share; it is a module of its own among the installed packages."""


def _is_current() -> bool:
    """Tell whether something is compiled, of the very texts that are there, and can run here."""
    if any(PathFinder.find_spec(name) is None for name in (f"{GROUP}__mypyc", "librt")):
        return False
    root = Path(__file__).parent.parent
    try:
        texts = json.loads(HASHES.read_bytes())
        return all(hashlib.sha256((root / text).read_bytes()).hexdigest() == kept for text, kept in texts.items())
    except (OSError, ValueError, AttributeError):
        return False


if os.environ.get("LODESTONE_PURE") or not _is_current():
    for _folder in Path(__file__).parent.glob("**/"):
        sys.path_importer_cache[str(_folder)] = FileFinder(
            str(_folder), (SourceFileLoader, SOURCE_SUFFIXES), (SourcelessFileLoader, BYTECODE_SUFFIXES)
        )
