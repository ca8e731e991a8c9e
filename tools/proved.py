"""``python -m tools.proved > docs/proved.md``: what real boards have shown, made of the files there.

Each file is one that ``lodestone hardware prove`` has written, as it was sent in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs" / "proved"
HEADS = ("day", "computer", "kernel", "scheme", "kind", "sensors", "magnet", "strips")
"""What the table of all boards shows of each file."""
ABOUT = """\
# What real boards have shown

[What is verified](verified.md) says what only a real board can show. Whoever has one measures it in fifteen minutes:

<!-- not run: it needs a board, and hands; tests/extensions/workshop/test_proving.py -->

    .venv/bin/lodestone hardware prove --board my-board.toml

The command leads through its steps and writes `lodestone-proved.txt`: the model, kernel and libraries, the wiring and
its parts, what was measured and what you saw. Names of computer, account and board, devices, addresses and codes are
left out; read it before you send it. What was sent in lies in `docs/proved`, and this page is made of those files.
"""
NONE = "**There are none yet**: nobody has measured a real board with this command."


def parse(text: str) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return a file's head, and title of a proof → its lines. Raise ValueError for one of a simulated board."""
    head, proofs, title = dict[str, str](), dict[str, list[str]](), ""
    for line in text.splitlines():
        if line.startswith("## "):
            title = line[3:]
            proofs[title] = []
        elif title and line.startswith("- "):
            proofs[title].append(line[2:])
        elif not title and ": " in line:
            key, _, value = line.partition(": ")
            head[key] = value
    if head.get("backend") != "gpio":
        raise ValueError(
            f"expected a file of a real board (backend: gpio), got {head.get('backend', 'another file')!r}"
        )
    return head, proofs


def page(texts: Mapping[str, str]) -> str:
    """Return the page for name of a file → its text."""
    if not texts:
        return f"{ABOUT}\n{NONE}\n"
    found = {name: parse(text) for name, text in sorted(texts.items())}
    rows = [("file", *HEADS), *((name, *(head.get(key, "") for key in HEADS)) for name, (head, _) in found.items())]
    parts = [ABOUT, _table(rows)]
    for title in dict.fromkeys(title for _, proofs in found.values() for title in proofs):
        own = [(name, "; ".join(proofs.get(title, []))) for name, (_, proofs) in found.items()]
        parts.append(f"## {title}\n\n{_table([('file', 'found'), *own])}")
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(one.replace('|', '/') for one in row)} |" for row in rows]
    return "\n".join([lines[0], f"|{'---|' * len(rows[0])}", *lines[1:]])


def sent_in() -> dict[str, str]:
    """Return name → text of all files that were sent in."""
    return {file.stem: file.read_text(encoding="utf-8") for file in sorted(FOLDER.glob("*.txt"))}


if __name__ == "__main__":
    print(page(sent_in()), end="")
