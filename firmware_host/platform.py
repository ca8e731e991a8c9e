"""The one seam to the operating system: all that Linux, macOS, Windows and a browser tab do in different ways.

Nothing else of the program names what one of them lacks (ruff's ``banned-api`` in pyproject.toml has the list, and
``tests/desks`` plays whole games without it). Each function does what the system offers, says in its docstring what is
weaker elsewhere, and is the only place that asks which system it is.

**Durable writing.** Linux: ``fdatasync`` returns once the content is on the disk. macOS has no ``fdatasync``, and its
``fsync`` leaves the content in the drive's cache; ``F_FULLFSYNC`` does not (fsync(2) of macOS). Windows:
``FlushFileBuffers``, by ``os.fsync``; a folder can't be synchronised there, and need not be.

**Locks** are the library filelock's: ``flock``, or ``LockFileEx`` on Windows; the system frees them even at a kill.

**Work beside other work** (:class:`Beside`, :func:`later`) is a thread's. A browser tab has one thread and no
processes: there whoever runs the program calls :func:`take_turns` again and again, and nothing may wait
(:func:`patience`), for while it waits nothing changes: what takes time has turns meanwhile (:func:`pause`,
:func:`complete`), and time itself passes by turns (:func:`now`).
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from filelock import lock_descriptor
from platformdirs import user_data_path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

IS_WINDOWS = sys.platform == "win32"
HAS_THREADS = sys.platform != "emscripten"
"""Whether there are threads and other processes: not in a browser tab."""
MOVES_OPEN = not IS_WINDOWS
"""Whether a folder can be renamed while a file in it is open."""
_ALWAYS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
AT_ONCE = getattr(os, "O_NONBLOCK", 0)
"""For :func:`opened`: never wait for a pipe's other end. Windows' folders have no pipes."""


# -- files -------------------------------------------------------------------------------------------------------------


def open_file(path: Path | str, flags: int, mode: int = 0o600) -> int:
    """Open a file for bytes, not inherited by other programs; ``flags`` are those of :mod:`os`. Raise OSError."""
    return os.open(path, flags | _ALWAYS, mode)


def sync(file: int) -> None:
    """Return when a file's content and length are durable. Raise OSError."""
    if hasattr(fcntl, "F_FULLFSYNC"):
        with contextlib.suppress(OSError):  # A network's file system may not know it.
            fcntl.fcntl(file, fcntl.F_FULLFSYNC)
            return
    os.fsync(file)


def sync_content(file: int) -> None:
    """The same, where the file's times need not be durable: on Linux half of the work. Raise OSError."""
    if hasattr(os, "fdatasync"):
        os.fdatasync(file)
    else:
        sync(file)


def sync_path(path: Path) -> None:
    """Return when a file, or a folder's list of names, is durable. Raise OSError."""
    if IS_WINDOWS and path.is_dir():
        return
    file = open_file(path, os.O_RDWR if IS_WINDOWS else os.O_RDONLY)
    try:
        sync(file)
    finally:
        os.close(file)


def sync_all() -> None:
    """Return when all that any program has written is durable, where the system offers that."""
    if hasattr(os, "sync"):
        os.sync()


def write_at(file: int, content: bytes, at: int) -> int:
    """Write bytes at an offset, and return how many. Elsewhere than on POSIX one thread at a time. Raise OSError."""
    if hasattr(os, "pwrite"):
        return os.pwrite(file, content, at)
    os.lseek(file, at, os.SEEK_SET)
    return os.write(file, content)


def reserve(file: int, size: int) -> None:
    """Have room for so many bytes at the beginning of a file, so that later writes succeed. Raise OSError."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
    else:
        missing = size - os.fstat(file).st_size
        if missing > 0:
            write_at(file, bytes(missing), size - missing)


def is_stream(path: Path) -> bool:
    """Return whether a name is a pipe's, a device's or an open stream's: /dev/stdout, which may lead into a file."""
    return str(path).startswith(("/dev/std", "/dev/fd/", "/proc/self/fd/")) or (path.exists() and not path.is_file())


def put_as(path: Path, target: Path) -> None:
    """Rename a file to a name that must be free. Raise FileExistsError, or another OSError.

    Unlike :func:`os.rename` it never replaces a file that came meanwhile. Where neither such a rename nor second names
    are known (FAT over an older driver, say) the name is taken by an empty file first, which is seen for a moment.
    """
    if not HAS_THREADS:  # Nobody else has files in a tab.
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
        os.rename(path, target)
    elif IS_WINDOWS:
        os.rename(path, target)  # It never replaces there.
    elif not _renamed(path, target, _NO_REPLACE):
        try:
            os.link(path, target)
        except FileExistsError:
            raise
        except OSError:
            os.close(open_file(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
            os.replace(path, target)
        else:
            os.unlink(path)


def exchange(one: Path, other: Path) -> bool:
    """Exchange two names at once. Return False where that can't be."""
    with contextlib.suppress(OSError):
        return not IS_WINDOWS and _renamed(one, other, _EXCHANGE)
    return False


_NO_REPLACE, _EXCHANGE = "no replace", "exchange"
_RENAMES: Mapping[str, Mapping[str, int]] = {
    "renameat2": {_NO_REPLACE: 1, _EXCHANGE: 2},
    "renamex_np": {_NO_REPLACE: 4, _EXCHANGE: 2},
}
"""Renames of the C library → what they are asked for → their flag: renameat2(2) of Linux, renamex_np(2) of macOS."""
_UNKNOWN = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}
"""What a rename says that this system or this file system does not know."""


def _renamed(one: Path, other: Path, how: str) -> bool:
    """Rename in a way that not every system, or disk, knows; return False where that is so. Raise OSError."""
    import ctypes  # noqa: PLC0415 - a tab would load it for nothing

    try:
        library = ctypes.CDLL(None, use_errno=True)
    except (OSError, TypeError):  # Windows has no library of that name.
        return False
    name = next((name for name in _RENAMES if hasattr(library, name)), None)
    if name is None:
        return False
    paths = (os.fsencode(one), os.fsencode(other))
    words = (_HERE, paths[0], _HERE, paths[1]) if name == "renameat2" else paths
    if getattr(library, name)(*words, ctypes.c_uint(_RENAMES[name][how])) == 0:
        return True
    why = ctypes.get_errno()
    if why in _UNKNOWN:
        return False
    raise OSError(why, os.strerror(why), str(one), None, str(other))


_HERE = -100
"""AT_FDCWD of Linux: a path that is not absolute begins in the present folder."""


_LOST = {getattr(errno, name) for name in ("EIO", "EBADMSG", "EUCLEAN", "ENODATA") if hasattr(errno, name)}


def is_lost(error: OSError) -> bool:
    """Return whether reading has failed because the disk has lost what is read: asking again does not help.

    Linux names a sector, a checksum or a file system's own table; elsewhere it is ``EIO``.
    """
    return error.errno in _LOST


def set_rights(file: int, mode: int) -> None:
    """Set who may read and write an open file. Windows inherits that from the folder. Raise OSError."""
    if hasattr(os, "fchmod"):
        os.fchmod(file, mode)


def lock(file: int) -> bool:
    """Lock an open file until it is closed; return whether nobody else had locked it. Raise OSError."""
    return lock_descriptor(file, blocking=False)


def is_locked(file: int) -> bool:
    """Return whether another program has locked an open file. Raise OSError.

    On POSIX two that look at once do not see each other.
    """
    if fcntl is None:
        return not lock_descriptor(file, blocking=False)
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def opened_folder(path: Path) -> int | None:
    """Open a folder, to lock it; None where folders can't be opened. Raise OSError, also for a link."""
    if not hasattr(os, "O_DIRECTORY"):
        return None
    return open_file(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)


def data_folder(name: str) -> Path:
    """Return where this account's programs keep data: on Linux ``~/.local/share/NAME``."""
    return user_data_path(name, appauthor=False)


# -- accounts ----------------------------------------------------------------------------------------------------------


def home_folders() -> set[Path]:
    """Return the home folders of all accounts that the system lists, and one's own."""
    try:
        import pwd  # noqa: PLC0415 - Windows has none
    except ImportError:
        return {Path.home()}
    return {Path.home(), *(Path(account.pw_dir) for account in pwd.getpwall())}


def account_of(name: str) -> tuple[int, int]:
    """Return the numbers of an account and of its group. Raise KeyError where there is none."""
    import pwd  # noqa: PLC0415 - Windows has none, and no services of ours

    found = pwd.getpwnam(name)
    return found.pw_uid, found.pw_gid


def owner_of(path: Path) -> str | None:
    """Return the name of the account to which a file belongs, or the nearest folder of it that can be looked at.

    None where that is not known.
    """
    for one in (path, *path.parents):
        with contextlib.suppress(OSError, KeyError):
            with contextlib.suppress(NotImplementedError):  # Windows
                return one.owner()
            return None
    return None


def is_root() -> bool:
    """Return whether this program may do everything."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def give_to(path: Path, account: int, group: int) -> None:
    """Make a file or folder belong to an account. Raise OSError."""
    if hasattr(os, "chown"):
        os.chown(path, account, group)


# -- work beside other work --------------------------------------------------------------------------------------------


class Beside:
    """Work that goes on beside its starter until it ends: a thread, or turns that :func:`take_turns` gives it."""

    def __init__(self, rounds: Callable[[], Iterator[None]], name: str, *, daemon: bool = True) -> None:
        """Begin. What ``rounds`` returns yields where others may have their turn; with threads nothing else does so."""
        self._thread: threading.Thread | None = None
        if HAS_THREADS:
            self._thread = threading.Thread(target=lambda: deque(rounds(), maxlen=0), name=name, daemon=daemon)
            self._thread.start()
        else:
            _turns.append(rounds())

    def join(self, timeout: float) -> None:
        """Wait until the work has ended, unless it is what asks. Where there are turns it ends at its next one."""
        if self._thread is not None and not self.is_here():
            self._thread.join(timeout)

    def is_here(self) -> bool:
        """Return whether it is this work that asks."""
        return self._thread is threading.current_thread()


_turns: list[Iterator[None]] = []


MAX_TURN_S = 0.05
"""Most time that passes from one turn to the next."""
_turned, _turned_at = time.monotonic(), time.monotonic()
"""What :func:`now` was at the last turn, and when that was."""


def now() -> float:
    """Return the time of a table, seconds, which never goes back: whoever acts there, and whoever looks, share it.

    Where there are turns at most :data:`MAX_TURN_S` pass between two. On a slow machine all that happens there is slow
    then: no hand lets go of a piece before the board was looked at so often as it takes to notice.
    """
    if HAS_THREADS:
        return time.monotonic()
    return _turned + min(time.monotonic() - _turned_at, MAX_TURN_S)


def take_turns() -> None:
    """Let all work that goes on beside this have a turn; nothing where there are threads."""
    global _turned, _turned_at
    _turned, _turned_at = now(), time.monotonic()
    for one in list(_turns):
        try:
            next(one)
        except BaseException as error:
            _turns.remove(one)
            if not isinstance(error, StopIteration):
                raise


def pause(seconds: float) -> Iterator[None]:
    """Let time pass in work that goes on beside other work: in turns, until then all others have theirs."""
    due = now() + seconds
    while (left := due - now()) > 0:
        time.sleep(patience(left))
        yield


def complete(work: Iterator[None]) -> None:
    """Do work to its end; where nobody can wait for it only until it yields, and the rest in turns."""
    if HAS_THREADS:
        deque(work, maxlen=0)
    elif next(work, work) is None:
        _turns.append(work)


def patience(seconds: float) -> float:
    """Return how long to wait for others: not at all where nobody can do anything meanwhile."""
    return seconds if HAS_THREADS else 0.0


class Later(Protocol):
    """A call that comes after a while."""

    def cancel(self) -> None:
        """Have it not come."""
        ...

    def is_alive(self) -> bool:
        """Return whether it is still to come, or just happens."""
        ...


class _LaterTurn:
    def __init__(self, seconds: float, call: Callable[[], None]) -> None:
        self._due, self._call, self._waits = now() + seconds, call, True
        Beside(self._rounds, "later")

    def cancel(self) -> None:
        self._waits = False

    def is_alive(self) -> bool:
        return self._waits

    def _rounds(self) -> Iterator[None]:
        while self._waits and now() < self._due:
            yield
        if self._waits:
            self._call()
        self._waits = False


def later(seconds: float, call: Callable[[], None]) -> Later:
    """Call a function after some seconds, beside everything else."""
    if not HAS_THREADS:
        return _LaterTurn(seconds, call)
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    timer.start()
    return timer


# -- processes ---------------------------------------------------------------------------------------------------------


def cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def apart() -> dict[str, Any]:
    """Return the arguments of ``Popen`` that keep Ctrl-C at the terminal from a child."""
    if IS_WINDOWS:
        return {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
    return {"start_new_session": True}


def be_modest(process: int, niceness: int) -> None:
    """Let other work come before that of a process (0: this one), where the system can be told so."""
    if hasattr(os, "setpriority"):
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process, niceness)


def limit_memory(process: int, now: int, most: int) -> None:
    """Limit the address space of a process (0: this one), bytes: ``now``, and what it may set itself. Only on Linux.

    Done from outside for a child, because no code may safely run between fork and exec of a program with threads.
    """
    with contextlib.suppress(ImportError, AttributeError, OSError, ValueError):
        import resource  # noqa: PLC0415 - Windows has none, and macOS no prlimit

        resource.prlimit(process, resource.RLIMIT_AS, (now, most))  # type: ignore[attr-defined,unused-ignore]


_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Parameters of glibc's mallopt(3)."""
_LARGE = 128 * 1024
"""Bytes from which on a block is the system's own, and free memory at a heap's end goes back: glibc's first values."""


def limit_heaps() -> bool:
    """Let all threads share two heaps that keep little free; return whether the C library does so (only glibc).

    By default each of the threads that serve phones gets a heap of its own, and what it frees there others can't use:
    after floods of requests the program kept 10 MB more, and grew for an hour. And with each large block that is freed
    (a film, a page) glibc by itself puts larger ones into the heaps, up to 32 MB, and keeps twice as much free at their
    end: between what lives long such blocks leave gaps, 3 MB of them. With fixed values they go back to the system.
    """
    import ctypes  # noqa: PLC0415 - as above

    try:
        set_to = ctypes.CDLL(None).mallopt
        return all([set_to(_ARENA_MAX, 2), set_to(_MMAP_THRESHOLD, _LARGE), set_to(_TRIM_THRESHOLD, _LARGE)])
    except (AttributeError, OSError, TypeError):  # Windows has no library of that name.
        return False


def trim_heaps() -> bool:
    """Give free memory inside the C library's heaps back to the system; return whether it can (only glibc).

    The pages stay the heaps' own, and are filled again when they are needed. It takes a millisecond or two. Without it
    every largest demand stays: an evening of attacks had left 4 MB free between what lives on.
    """
    import ctypes  # noqa: PLC0415 - as above

    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError, TypeError):
        return False
    return True


def be_expendable(score: int) -> None:
    """Have the system end this process before others when memory runs short: ``oom_score_adj`` of Linux, to 1000."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(score), encoding="ascii")


def allow_open_files(wanted: int) -> int:
    """Allow this process so many open files, as far as the system lets it; return how many it may have now."""
    try:
        import resource  # noqa: PLC0415 - Windows has none, and no such limit
    except ImportError:
        return wanted
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    aim = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
    if aim > now:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (aim, most))
            return aim
    return now


@contextlib.contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """End this process, which must be one that may be lost, if a block takes longer. Not on Windows."""
    if not hasattr(signal, "alarm"):
        yield
        return
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


_PARENT = os.getppid() if hasattr(os, "getppid") else 0


def parent_is_alive() -> bool:
    """Return whether the process that started this one still runs. Windows does not tell: there it always seems to."""
    return _PARENT == 0 or os.getppid() == _PARENT


def on_end(call: Callable[[], None]) -> None:
    """Call a function from now on when somebody asks this program to end: Ctrl-C, or the system.

    On Windows nobody but this program sends the second.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: call())
