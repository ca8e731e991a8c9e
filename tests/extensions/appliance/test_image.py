"""The recipe of a ready image: its scripts, and the Raspberry Pi Imager's entry for it."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import lzma
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

HERE = Path(__file__).parents[3] / "install/image"
STAGE = HERE / "stage-lodestone"
STEPS = STAGE / "00-lodestone"
SCRIPTS = ("config", "stage-lodestone/prerun.sh", *(f"stage-lodestone/{path}" for path in (
    "00-lodestone/01-run.sh", "00-lodestone/02-run-chroot.sh")))  # fmt: skip
TEXT, NUMBER = {"type": "string", "minLength": 1}, {"type": "integer", "minimum": 1}
SHA256 = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
ENTRY = {
    "name": TEXT, "description": TEXT, "icon": TEXT, "url": {"type": "string", "pattern": "^https?://.*[.]xz$"},
    "extract_size": NUMBER, "extract_sha256": SHA256, "image_download_size": NUMBER, "image_download_sha256": SHA256,
    "release_date": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
    "init_format": {"const": "cloudinit-rpi"},
    "devices": {"type": "array", "minItems": 1, "items": TEXT},
}  # fmt: skip
"""What the Imager's own schema asks of an entry, and what this one gives besides."""
LIST = {
    "type": "object", "required": ["os_list"], "additionalProperties": False,
    "properties": {"os_list": {"type": "array", "minItems": 1, "items": {
        "type": "object", "required": list(ENTRY), "properties": ENTRY}}},
}  # fmt: skip


def imager() -> Any:
    spec = importlib.util.spec_from_file_location("imager", HERE / "imager.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_shellcheck_finds_nothing() -> None:
    program = shutil.which("shellcheck", path=f"{Path(sys.executable).parent}:/usr/bin")
    if program is None:
        pytest.skip("shellcheck is missing: make setup-test")
    found = subprocess.run([program, "--shell=bash", *SCRIPTS], cwd=HERE, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (0, "")


def test_pi_gen_finds_its_parts() -> None:
    assert [path.name for path in sorted(STEPS.iterdir())] == ["00-packages", "01-run.sh", "02-run-chroot.sh"]
    for script in (STAGE / "prerun.sh", STEPS / "01-run.sh"):
        assert script.stat().st_mode & 0o111, "pi-gen runs what may be executed only"
    assert (STAGE / "EXPORT_IMAGE").exists(), "without it the stage makes no image"


def config(pi_gen: Path) -> subprocess.CompletedProcess[str]:
    """Read our settings as pi-gen's build.sh does, and print some."""
    told = 'set -e; source "$1"; echo "$RELEASE $ENABLE_CLOUD_INIT $ENABLE_SSH $PI_GEN_TAG"'
    given = {"BASE_DIR": str(pi_gen), "PATH": "/usr/bin:/bin"}
    words = ["bash", "-c", told, "bash", str(HERE / "config")]
    return subprocess.run(words, cwd=pi_gen, env=given, capture_output=True, text=True, check=False)


def pi_gen(folder: Path, arch: str, *, cloud_init: bool) -> Path:
    """Make of pi-gen what its settings look at."""
    (folder / "stage2/04-cloud-init").mkdir(parents=True)
    (folder / "build.sh").write_text(f"export ARCH={arch}\n")
    if cloud_init:
        (folder / "stage2/04-cloud-init/01-run.sh").touch()
    return folder


def test_the_image_takes_the_settings_in_the_form_in_which_the_imager_writes_them(tmp_path: Path) -> None:
    """cloud-init is in the image, and the entry says so: else user, password and SSH are silently ignored."""
    done = config(pi_gen(tmp_path / "right", "arm64", cloud_init=True))
    assert done.returncode == 0, done.stderr
    release, cloud_init, ssh, tag = done.stdout.split()
    assert (release, cloud_init, ssh) == ("trixie", "1", "0")
    assert tag.endswith("-raspios-trixie-arm64")
    assert f"--branch {tag} " in (HERE.parent.parent / "docs/install.md").read_text(encoding="utf-8")
    for name, arch, there in (("bookworm", "arm64", False), ("armhf", "armhf", True)):
        refused = config(pi_gen(tmp_path / name, arch, cloud_init=there))
        assert refused.returncode == 1
        assert f"git checkout {tag}" in refused.stderr


def test_what_is_committed_goes_into_the_image(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    git = ["git", "-C", str(source), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    (source / "install.sh").write_text("committed\n")
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message=a"]):
        subprocess.run([*git, *words], check=True)
    (source / "notes").write_text("not committed\n")
    given = {
        "ROOTFS_DIR": str(tmp_path / "root"),
        "LODESTONE_SOURCE": str(source),
        "LODESTONE_HOTSPOT_PASSWORD": "12 345 678",
    }
    for _ in range(2):
        subprocess.run(["bash", "-e", STEPS / "01-run.sh"], check=True, env={"PATH": "/usr/bin:/bin", **given})
    target = tmp_path / "root/usr/src/lodestone"
    assert {path.name for path in target.iterdir()} == {"install.sh", ".hotspot-password"}
    assert (target / ".hotspot-password").read_text() == "12 345 678\n"


def test_the_imager_is_told_what_it_asks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = bytes(range(256)) * 9000
    image = tmp_path / "image.img.xz"
    image.write_bytes(lzma.compress(plain, preset=0))
    assert imager().main([str(image), "--url", "https://example.org/image.img.xz"]) == 0
    told = json.loads(capsys.readouterr().out)
    jsonschema_rs.validate(LIST, told)
    found = told["os_list"][0]
    assert (found["extract_size"], found["extract_sha256"]) == (len(plain), hashlib.sha256(plain).hexdigest())
    assert found["image_download_size"] == image.stat().st_size


def test_what_is_no_image_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text in (None, b"no image", lzma.compress(b"cut" * 9000)[:-20]):
        image = tmp_path / "image.img.xz"
        if text is not None:
            image.write_bytes(text)
        assert imager().main([str(image), "--url", "https://example.org/a.xz"]) == 1
        assert "expected an image compressed by xz" in capsys.readouterr().err
