"""Several shards install their tools on one machine at the same time: apt serves one, the others wait."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ADD = Path(__file__).parents[1] / "add-packages"
APT = """#!/bin/sh
mkdir "$TAKEN" 2>/dev/null || exit 100 # As apt does: who finds its lock taken fails.
[ "$1" = update ] || echo "$*" >>"$DONE"
sleep 0.2 # Long enough for the other caller to meet it.
rmdir "$TAKEN"
"""


def test_who_finds_apt_at_work_waits(tmp_path: Path) -> None:
    for name, text in {"apt-get": APT, "id": "#!/bin/sh\necho 0\n"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    done = tmp_path / "done"
    env = {
        **os.environ,
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "PACKAGES_LOCK": str(tmp_path / "lock"),
        "TAKEN": str(tmp_path / "taken"),
        "DONE": str(done),
    }
    callers = [subprocess.Popen([ADD, "--no-install-recommends", name], env=env) for name in ("one", "two", "three")]
    assert [caller.wait() for caller in callers] == [0, 0, 0]
    packages = sorted(line.split()[-1] for line in done.read_text(encoding="utf-8").splitlines())
    assert packages == ["one", "three", "two"]
