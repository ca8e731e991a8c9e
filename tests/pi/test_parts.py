"""The parts of the emulated Pi that need no QEMU."""

from __future__ import annotations

import io
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.pi import cpio
from tests.pi.gdb import store_of

BASE, VALUE, INDEX = 0x2C844000, 1 << 13, -7 & 0xFFFFFFFF
REGISTERS = [BASE, VALUE, INDEX, *[0] * 29]


@pytest.mark.parametrize(
    ("instruction", "address", "value"),
    [
        (0xB9000001, BASE, VALUE),  # str w1, [x0]
        (0xB9001C01, BASE + 0x1C, VALUE),  # str w1, [x0, #28]
        (0xB900001F, BASE, 0),  # str wzr, [x0]
        (0xB81FC001, BASE - 4, VALUE),  # stur w1, [x0, #-4]
        (0xB822D801, BASE - 28, VALUE),  # str w1, [x0, w2, sxtw #2]
    ],
)
def test_a_write_is_read_from_its_instruction(instruction: int, address: int, value: int) -> None:
    assert store_of(instruction, REGISTERS) == (address, value)


def test_another_instruction_is_named() -> None:
    with pytest.raises(ValueError, match="0xd65f03c0"):
        store_of(0xD65F03C0, REGISTERS)


@pytest.mark.skipif(shutil.which("cpio") is None, reason="cpio is not installed here")
def test_an_archive_is_unpacked_as_it_was(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "bin").mkdir(parents=True)
    (tree / "bin/run").write_text("#!/bin/sh\n")
    (tree / "bin/run").chmod(0o755)
    (tree / "left").write_text("left out")
    (tree / "link").symlink_to("bin/run")
    archive = io.BytesIO()
    cpio.write(archive, [(tree, "opt/here")], lambda name: not name.endswith("left"))
    out = tmp_path / "out"
    out.mkdir()
    subprocess.run(["cpio", "--extract", "--quiet"], input=archive.getvalue(), cwd=out, check=True)
    assert (out / "opt/here/link").read_text() == "#!/bin/sh\n"
    assert (out / "opt/here/bin/run").stat().st_mode & 0o777 == 0o755
    assert not (out / "opt/here/left").exists()
