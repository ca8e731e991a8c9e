"""The Raspberry Pi Imager's entry of an image, as JSON: ``python3 imager.py IMAGE.img.xz --url ADDRESS``.

``rpi-imager --repo FILE`` offers it. The form: raspberrypi/rpi-imager, doc/json-schema/os-list-schema.json; how an
image takes what is set in the Imager: doc/os_customisation_formats.md there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

CHUNK = 1 << 20
DEVICES = ("pi5-64bit", "pi4-64bit", "pi3-64bit")
ICON = (
    "data:image/svg+xml;utf8,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 40 40'>"
    "<circle cx='20' cy='20' r='18' fill='%23334'/><circle cx='20' cy='20' r='8' fill='%23fc6'/></svg>"
)


def entry(image: Path, url: str, website: str = "") -> dict[str, Any]:
    """Return the entry of an image that is compressed by xz. Raise OSError, LZMAError."""
    size, plain = 0, hashlib.sha256()
    with lzma.open(image) as unpacked:
        while chunk := unpacked.read(CHUNK):
            size += len(chunk)
            plain.update(chunk)
    return {
        "name": "Lodestone",
        "description": "A table for boards that feel their pieces: opens by itself, and is set up from a phone",
        "icon": ICON,
        "url": url,
        "extract_size": size,
        "extract_sha256": plain.hexdigest(),
        "image_download_size": image.stat().st_size,
        "image_download_sha256": hashlib.sha256(image.read_bytes()).hexdigest(),
        "release_date": f"{datetime.fromtimestamp(image.stat().st_mtime, UTC):%Y-%m-%d}",
        "init_format": "cloudinit-rpi",
        "devices": list(DEVICES),
        **({"website": website} if website else {}),
    }


def main(words: list[str]) -> int:
    """Print the list; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("image", type=Path, help="what pi-gen has made: deploy/image_….img.xz")
    parser.add_argument("--url", required=True, help="where the image will be downloaded")
    parser.add_argument("--website", default="", help="where more about it can be read")
    given = parser.parse_args(words)
    try:
        found = entry(given.image, given.url, given.website)
    except (OSError, lzma.LZMAError, EOFError) as error:
        print(f"{given.image}: expected an image compressed by xz: {error}", file=sys.stderr)
        return 1
    print(json.dumps({"os_list": [found]}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
