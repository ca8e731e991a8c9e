"""What the program that serves a table keeps in memory: few heaps, few gaps, no library that it does not use."""

from __future__ import annotations

import platform
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from firmware_host.commands.play import MemoryBetweenGames
from firmware_host.table.subjects.resolving import Resigned
from lodestone.server import Server
from lodestone.tables import SimulatedTable

THREADS = """
import ctypes, re, sys, threading
from firmware_host.platform import limit_heaps
if sys.argv[1] == "limited":
    assert limit_heaps()
gate, made = threading.Barrier(13), []
def work():
    made.append([bytes(300) for _ in range(50_000)])
    libc.free(libc.malloc(10_000))
    gate.wait()
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
libc.fopen.restype, libc.malloc_info.argtypes = ctypes.c_void_p, [ctypes.c_int, ctypes.c_void_p]
libc.fclose.argtypes = [ctypes.c_void_p]
for _ in range(12):
    threading.Thread(target=work).start()
gate.wait()
file = libc.fopen(sys.argv[2].encode(), b"w")
libc.malloc_info(0, file)
libc.fclose(file)
print(len(re.findall("<heap nr=", open(sys.argv[2]).read())))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc gives threads heaps of their own")
def test_threads_share_two_heaps(tmp_path_factory: pytest.TempPathFactory) -> None:
    def heaps(how: str) -> int:
        info = tmp_path_factory.mktemp("heaps") / "info.xml"
        command = [sys.executable, "-c", THREADS, how, str(info)]
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    assert heaps("limited") <= 2 < heaps("free")


def kept(program: str, how: str) -> float:
    """Return what a program prints: the MB that it keeps."""
    return float(
        subprocess.run([sys.executable, "-c", program, how], capture_output=True, text=True, check=True).stdout
    )


GAPS = """
import ctypes, sys
from firmware_host.platform import limit_heaps
from tests.extensions.lab.soak_counts import heap
if sys.argv[1] == "limited":
    assert limit_heaps()
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
libc.free(libc.malloc(16 << 20))  # As large as this what is freed is kept from now on, if nobody forbids it.
before, large = heap()["heap MB"], []
for _ in range(20):
    large.append(libc.malloc(1 << 20))
    libc.malloc(1000)  # This lives on.
for one in large:
    libc.free(one)
print(heap()["heap MB"] - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps what is freed in this way")
def test_large_blocks_leave_no_gaps() -> None:
    """Films and pages come and go; what is small and lives between them does not keep their memory."""
    assert kept(GAPS, "limited") < 1 < 15 < kept(GAPS, "free")


DEMAND = """
import ctypes, sys
from firmware_host.platform import limit_heaps, trim_heaps
from tests.extensions.lab.soak_counts import mapped
assert limit_heaps()
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
before, needed = sum(mapped().values()), []
for _ in range(200):
    needed.append(libc.malloc(100_000))
    libc.memset(needed[-1], 1, 100_000)
    libc.malloc(1000)  # This lives on.
for one in needed:
    libc.free(one)
if sys.argv[1] == "trimmed":
    assert trim_heaps()
print(sum(mapped().values()) - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps what is freed in this way")
def test_a_large_demand_is_given_back() -> None:
    """A flood of requests ends; what lives on between what it needed does not keep its memory."""
    assert kept(DEMAND, "trimmed") < 3 < 15 < kept(DEMAND, "free")


def test_the_next_game_gives_back_what_the_last_one_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trimmed: list[str] = []
    monkeypatch.setattr("firmware_host.platform.trim_heaps", lambda: trimmed.append("now"))
    with closing(SimulatedTable(tmp_path)) as table:
        table.runtime.follow(MemoryBetweenGames().listen)
        trimmed.clear()
        table.begin(["Ann", "Bob"])
        table.runtime.submit(Resigned(at=0.0, seat=1))
        table.wait(1.0)
        assert trimmed == []
        table.runtime.new_game()
    assert trimmed == ["now"]


STAYS = """
import gc
from firmware_host.commands.play import keep_what_stays
keep_what_stays()
print(len(gc.get_objects()) / gc.get_freeze_count())
"""


def test_modules_are_not_looked_through_again_and_again() -> None:
    """What comes later is: a first board that was frozen with them would never go."""
    told = subprocess.run([sys.executable, "-c", STAYS], capture_output=True, text=True, check=True).stdout
    assert float(told) < 0.1


OTHERS = (
    "cryptography",
    "amqtt",
    "aiohttp",
    "sqlalchemy",
    "psycopg",
    "rustworkx",
    "distributed",
    "manifold3d",
    "playwright",
)
"""Libraries of rooms, clubs, clusters and papers, which a table alone never loads."""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
def test_a_table_alone_loads_no_library_of_rooms_clubs_and_clusters(tmp_path: Path) -> None:
    server = Server(tmp_path)
    try:
        server.until(lambda view: view["phase"] == "lobby")
        mapped = Path(f"/proc/{server.pid}/maps").read_text()
        assert [name for name in OTHERS if f"/{name}" in mapped] == []
    finally:
        server.close()
