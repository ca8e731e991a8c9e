"""Builds the compiled search into a wheel if ``LODESTONE_COMPILED=1`` (``make wheels``); else a pure one.

What is compiled, and how the program knows that it fits the text beside it: firmware_host/compile.py.
"""

import json
import os
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

sys.path.insert(0, str(Path(__file__).parent))


class WithHashes(build_py):
    """Adds the digests of the compiled texts, without which the plain form runs."""

    def run(self) -> None:
        """Copy the modules, and write the digests beside them."""
        super().run()
        from firmware_host import HASHES  # noqa: PLC0415
        from firmware_host.compile import ROOT, hashes  # noqa: PLC0415

        target = Path(self.build_lib) / HASHES.relative_to(ROOT)
        target.write_text(json.dumps(hashes(), indent=1), encoding="utf-8")


if os.environ.get("LODESTONE_COMPILED"):
    from firmware_host.compile import extensions

    setup(ext_modules=extensions("build/mypyc"), cmdclass={"build_py": WithHashes})
else:
    setup()
