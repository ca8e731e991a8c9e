"""docs/kit.md: its examples run as a test file of somebody else's, in a folder without this repository's set-up."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.sampling import is_sample

PAGE = Path(__file__).parent.parent.parent / "docs" / "kit.md"


def test_the_examples_pass(tmp_path: Path) -> None:
    examples = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(examples) >= 3
    (tmp_path / "test_theirs.py").write_text("\n\n".join(examples), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_theirs.py"]
    if is_sample():  # tests/lodestone/test_kit.py plays them at another game.
        command += ["-k", "not random_games"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert re.search(r"^\d+ passed", done.stdout, re.MULTILINE), done.stdout
