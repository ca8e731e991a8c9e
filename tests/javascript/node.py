"""Node.js as playwright's package brings it along: the scripts of the pages run without a browser."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from playwright._impl._driver import compute_driver_executable

HERE = Path(__file__).parent
STATIC = HERE.parents[1] / "web_panel" / "static"


def node(*words: str, given: str = "") -> str:
    """Run Node.js to its end; return what it prints. Fail with what it says if it fails."""
    command = [compute_driver_executable()[0], "--import", str(HERE / "browser.mjs"), *words]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def call(module: str, function: str, argument: Any) -> Any:
    """Return what a function in JavaScript gives for what a module exports and an argument; all as JSON."""
    script = f"""import * as it from {json.dumps((STATIC / module).as_uri())};
import {{ readFileSync }} from "node:fs";
console.log(JSON.stringify(({function})(it, JSON.parse(readFileSync(0, "utf-8")))));"""
    return json.loads(node("--input-type=module", "--eval", script, given=json.dumps(argument)))
