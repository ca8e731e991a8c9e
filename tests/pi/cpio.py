"""Archives that Linux unpacks as its first root: the format ``newc`` of cpio, with every file owned by root."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO

Keep = Callable[[str], bool]
_END = "TRAILER!!!"


def write(to: BinaryIO, trees: Iterable[tuple[Path, str]], keep: Keep = lambda _: True) -> None:
    """Write all files, folders and links of some trees, each under a path of the archive; ``keep`` gets these paths."""
    for tree, under in trees:
        if under:
            parents = under.split("/")
            for deep in range(1, len(parents) + 1):
                _entry(to, "/".join(parents[:deep]), stat.S_IFDIR | 0o755, 0, b"")
        for folder, folders, files in os.walk(tree):
            folders.sort()
            for name in sorted(folders) + sorted(files):
                path = Path(folder, name)
                inside = "/".join(filter(None, (under, path.relative_to(tree).as_posix())))
                if keep(inside):
                    _add(to, path, inside)
    _entry(to, _END, 0, 0, b"")


def _add(to: BinaryIO, path: Path, name: str) -> None:
    seen = path.lstat()
    if stat.S_ISLNK(seen.st_mode):
        _entry(to, name, stat.S_IFLNK | 0o777, 0, os.readlink(path).encode())
    elif stat.S_ISDIR(seen.st_mode):
        _entry(to, name, stat.S_IFDIR | 0o755, 0, b"")
    else:
        mode = 0o755 if seen.st_mode & 0o111 else 0o644
        _entry(to, name, stat.S_IFREG | mode, int(seen.st_mtime), path.read_bytes())


def _entry(to: BinaryIO, name: str, mode: int, mtime: int, data: bytes) -> None:
    numbers = (0, mode, 0, 0, 1, mtime, len(data), 0, 0, 0, 0, len(name.encode()) + 1, 0)
    head = b"070701" + b"".join(b"%08x" % number for number in numbers) + name.encode() + b"\0"
    to.write(head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4))
