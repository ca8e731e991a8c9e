"""Three ways to `lodestone table`: the stream's loop in a thread, the real command, and the service itself.

All take requests and give answers as JSON lines. Only the service itself can be told what a search has found.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import IO, Any

from firmware_host.games.game import Analysis
from firmware_host.services.table_protocol import TableSession, serve
from firmware_host.table.subjects.resolving import AnalysisFound

LODESTONE = Path(sys.executable).parent / "lodestone"


class Refused(Exception):
    """The answer to a request was a refusal."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class Direct:
    """The service itself, a line at a time."""

    def __init__(self) -> None:
        self.service = TableSession()

    def line(self, line: str) -> str:
        return self.service.answer_line(line)

    def ask(self, **request: Any) -> dict[str, Any]:
        """Return the answer to a request. Raise Refused."""
        answer: dict[str, Any] = json.loads(self.line(json.dumps(request)))
        if not answer["ok"]:
            raise Refused(**answer["error"])
        return answer

    def foresee(self, at: float, analysis: Analysis) -> None:
        """Let a search answer about the present position."""
        position = self.ask(do="look")["position"]
        self.service._happen(AnalysisFound(at=at, position=position, analysis=analysis, seconds=0.3))

    def close(self) -> None:
        """End the stream."""


class Streams(Direct):
    """What speaks over a pair of streams."""

    def __init__(self, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self.stdin, self.stdout = stdin, stdout

    def line(self, line: str) -> str:
        self.stdin.write(line.encode() + b"\n")
        self.stdin.flush()
        return self.stdout.readline().decode("ascii")

    def foresee(self, at: float, analysis: Analysis) -> None:
        raise AssertionError("the protocol has no searches")


class InThread(Streams):
    """The loop over streams, in this process."""

    def __init__(self) -> None:
        reads, theirs = os.pipe()
        answers, answering = os.pipe()
        super().__init__(os.fdopen(theirs, "wb"), os.fdopen(answers, "rb"))
        self._thread = Thread(target=_serve, args=(reads, answering), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.stdin.close()
        self._thread.join(10)
        self.stdout.close()
        assert not self._thread.is_alive()


def _serve(reads: int, answering: int) -> None:
    with os.fdopen(reads, "rb") as stdin, os.fdopen(answering, "wb") as stdout:
        serve(stdin, stdout)


class Command(Streams):
    """The command itself, as a process."""

    def __init__(self) -> None:
        self._process = subprocess.Popen([LODESTONE, "table"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        super().__init__(self._process.stdin, self._process.stdout)

    def close(self) -> None:
        self.stdin.close()
        assert self._process.wait(30) == 0
        self.stdout.close()
