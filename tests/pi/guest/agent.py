"""The emulated Pi's end of the tests: runs Python text that comes as JSON lines on its serial port.

A line names a session, which is a process of its own: ``open`` (user, groups, path) starts one, ``run`` executes text
in it, and ``close`` ends it. The answer to ``run`` is the value of its last expression, or the traceback.
"""

from __future__ import annotations

import ast
import json
import os
import select
import signal
import sys
import termios
import traceback
import tty
from typing import Any

PORT = "/dev/ttyAMA0"
LODESTONE = "/opt/lodestone"


def evaluate(text: str, names: dict[str, Any]) -> Any:
    """Execute statements; return the value of the last one if it is an expression, else None."""
    tree = ast.parse(text)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<test>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<test>", "eval"), names) if last else None


def session(settings: dict[str, Any], asked: int, told: int) -> None:
    """Run the texts of one session until it is closed."""
    os.setsid()
    if settings["user"]:
        os.setgroups(settings["groups"])
        os.setgid(settings["user"])
        os.setuid(settings["user"])
        os.environ["HOME"] = "/home/pi"
        os.chdir("/home/pi")
    sys.path[:0] = [*settings["path"], LODESTONE]
    names: dict[str, Any] = {"__name__": "session"}
    with open(asked, encoding="utf-8") as questions, open(told, "w", encoding="utf-8") as answers:
        for question in questions:
            try:
                answer = {"value": evaluate(json.loads(question), names)}
                line = json.dumps(answer)
            except BaseException:  # noqa: BLE001 - whatever it is, the test is told
                line = json.dumps({"error": traceback.format_exc()})
            answers.write(line + "\n")
            answers.flush()


class Agent:
    def __init__(self) -> None:
        self.port = os.open(PORT, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)  # Else it waits for a carrier.
        tty.setraw(self.port)
        settings = termios.tcgetattr(self.port)
        settings[2] |= termios.CLOCAL
        settings[4] = settings[5] = termios.B115200
        termios.tcsetattr(self.port, termios.TCSANOW, settings)
        os.set_blocking(self.port, True)
        self.sessions: dict[int, tuple[int, int, int]] = {}
        self.pending: dict[int, bytes] = {}

    def tell(self, message: dict[str, Any]) -> None:
        data = json.dumps(message).encode() + b"\n"
        while data:
            data = data[os.write(self.port, data) :]

    def lines(self, descriptor: int) -> list[bytes] | None:
        """Return the whole lines that have come; None at the end."""
        try:
            data = os.read(descriptor, 4096)
        except OSError:
            data = b""
        *whole, self.pending[descriptor] = (self.pending.get(descriptor, b"") + data).split(b"\n")
        return whole if data else None

    def run(self) -> None:
        self.tell({"session": 0, "value": "ready"})
        while True:
            answering = {told: number for number, (_, _, told) in self.sessions.items()}
            ready, _, _ = select.select([self.port, *answering], [], [])
            for descriptor in ready:
                lines = self.lines(descriptor)
                if descriptor == self.port:
                    for line in lines or ():
                        self.heed(json.loads(line))
                elif lines is None:
                    self.end(answering[descriptor])
                else:
                    for line in lines:
                        self.tell({"session": answering[descriptor], **json.loads(line)})

    def heed(self, message: dict[str, Any]) -> None:
        number = message["session"]
        if "open" in message:
            self.open(number, message["open"])
        elif "run" in message and number in self.sessions:
            os.write(self.sessions[number][1], json.dumps(message["run"]).encode() + b"\n")
        elif number in self.sessions:
            os.killpg(self.sessions[number][0], signal.SIGKILL)

    def open(self, number: int, settings: dict[str, Any]) -> None:
        (asked, question), (answer, told) = os.pipe(), os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(self.port)
            os.set_inheritable(asked, True)
            os.set_inheritable(told, True)
            # Not only forked: each session has addresses of its own, as the debugger watches one by its addresses.
            os.execv(sys.executable, [sys.executable, __file__, json.dumps(settings), str(asked), str(told)])
        os.close(asked)
        os.close(told)
        self.sessions[number] = (pid, question, answer)

    def end(self, number: int) -> None:
        pid, question, answer = self.sessions.pop(number)
        os.close(question)
        os.close(answer)
        self.pending.pop(answer, None)
        os.waitpid(pid, 0)
        self.tell({"session": number, "error": "the session has ended"})


if __name__ == "__main__":
    if len(sys.argv) > 1:
        session(json.loads(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    else:
        Agent().run()
