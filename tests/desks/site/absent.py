"""What other desks lack, taken away from our own modules: they are told that it does not exist.

Libraries keep it: they know those systems, and have their own ways there. Sources: "Availability" in Python's
documentation of each module and function (docs.python.org/3/library/os.html and its neighbours), and the modules that
it calls Unix only (docs.python.org/3/library/unix.html).
"""

from __future__ import annotations

import builtins
import os
import sys
from types import ModuleType
from typing import Any


def names(text: str) -> set[str]:
    return set(text.split())


OURS = {"firmware_host", "hw", "lodestone", "simulator", "web_panel"}

MACOS: dict[str, set[str]] = {
    "os": names(
        """
        fdatasync posix_fallocate posix_fadvise sched_getaffinity sched_setaffinity sched_setscheduler pipe2
        memfd_create eventfd splice copy_file_range getrandom getxattr setxattr listxattr removexattr
        pidfd_open unshare setns O_DIRECT O_TMPFILE O_NOATIME O_PATH setresuid getresuid getresgid setresgid
        """
    ),
    "resource": {"prlimit", "RLIMIT_MSGQUEUE", "RLIMIT_NICE", "RLIMIT_RTPRIO", "RLIMIT_SIGPENDING"},
    "signal": {"sigwaitinfo", "sigtimedwait", "pidfd_send_signal", "SIGRTMIN", "SIGRTMAX", "SIGSTKFLT", "SIGPWR"},
    "select": {"epoll"},
    "socket": {"AF_NETLINK", "AF_PACKET", "AF_ALG", "AF_VSOCK", "SO_BINDTODEVICE", "SOCK_CLOEXEC", "SOCK_NONBLOCK"},
}
WINDOWS: dict[str, set[str]] = {
    "os": MACOS["os"]
    | names(
        """
        fork forkpty getuid geteuid getgid getegid getgroups getgrouplist setuid setgid initgroups chown
        lchown fchown fchmod fchdir chroot killpg getpgid setpgid getpgrp setsid getsid nice getpriority
        setpriority PRIO_PROCESS sync pread pwrite preadv pwritev mkfifo mknod openpty ttyname ctermid
        statvfs fstatvfs uname sysconf confstr getloadavg lockf sendfile posix_spawn wait wait3 wait4 waitid
        major minor makedev O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK O_SYNC O_DSYNC O_NOCTTY set_blocking
        get_blocking
        """
    ),
    "signal": MACOS["signal"]
    | names(
        """
        SIGKILL SIGHUP SIGUSR1 SIGUSR2 SIGALRM SIGCHLD SIGPIPE SIGQUIT SIGSTOP SIGCONT SIGTSTP SIGWINCH
        alarm pause setitimer getitimer pthread_sigmask pthread_kill sigpending sigwait siginterrupt
        SIG_BLOCK SIG_UNBLOCK SIG_SETMASK
        """
    ),
    "select": {"epoll", "poll"},
    "socket": MACOS["socket"] | {"AF_UNIX", "sethostname"},
    "time": {"tzset", "clock_settime", "pthread_getcpuclockid"},
}
LACKS: dict[str, tuple[set[str], dict[str, set[str]]]] = {
    "macos": (set(), MACOS),
    "windows": ({"fcntl", "termios", "tty", "pty", "pwd", "grp", "resource", "syslog", "readline"}, WINDOWS),
}
"""Desk → the modules that it lacks, and the names in others."""


class Partial(ModuleType):
    """A module without some of its names."""

    def __init__(self, whole: ModuleType, lacking: set[str], other: dict[str, Any]) -> None:
        super().__init__(whole.__name__)
        self.__dict__.update(_whole=whole, _lacking=lacking, _other=other)

    def __getattr__(self, name: str) -> Any:
        if name in self._other:
            return self._other[name]
        if name in self._lacking:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r} on this desk")
        return getattr(self._whole, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._whole, name, value)


def take_away(desk: str) -> None:
    """Make this process one of another desk, as far as our own modules can see; and files, on Windows, for all."""
    modules, lacking = LACKS[desk]
    known = builtins.__import__
    partial: dict[str, Partial] = {}

    def ours(scope: Any) -> bool:
        return bool(scope) and str(scope.get("__name__", "")).partition(".")[0] in OURS

    def importing(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        if level == 0 and ours(globals):
            if name in modules:
                raise ImportError(f"No module named {name!r} on this desk", name=name)
            other = {"platform": "win32"} if (desk, name) == ("windows", "sys") else {}
            if name in lacking or other:
                if name not in partial:
                    partial[name] = Partial(known(name), lacking.get(name, set()), other)
                return partial[name]
        return known(name, globals, locals, fromlist, level)

    builtins.__import__ = importing
    sys.addaudithook(_no_proc)
    if desk == "windows":
        sys.addaudithook(_keep_open_files)
        os.rename = _rename_to_free


def _no_proc(event: str, words: tuple[Any, ...]) -> None:
    """Neither of them has /proc or /sys."""
    if event == "open" and isinstance(words[0], str) and words[0].startswith(("/proc/", "/sys/")):
        raise FileNotFoundError(2, "No such file or directory on this desk", words[0])


def _rename_to_free(one: Any, other: Any, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None) -> None:
    """On Windows a rename replaces nothing (docs.python.org/3/library/os.html#os.rename)."""
    if os.path.lexists(other):
        raise FileExistsError(17, "Cannot create a file when that file already exists", other)
    os.replace(one, other, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)


def _keep_open_files(event: str, words: tuple[Any, ...]) -> None:
    """On Windows nobody replaces, renames or deletes a file that is open, or a folder with one, nor replaces a folder.

    The sources are CreateFile (sharing) and MoveFileEx of Microsoft's documentation.
    """
    if event == "os.rename":
        paths = words[:2]
    elif event == "os.remove":
        paths = words[:1]
    else:
        return
    if event == "os.rename" and os.path.isdir(words[1]):
        raise PermissionError(13, "Access is denied", words[1])
    touched = {os.path.realpath(os.fsdecode(path)) for path in paths if not isinstance(path, int)}
    for file in os.listdir("/proc/self/fd"):
        try:
            one = os.readlink(f"/proc/self/fd/{file}")
        except OSError:
            continue
        if any(one == path or one.startswith(f"{path}/") for path in touched):
            raise PermissionError(13, "The process cannot access the file because it is being used", one)
