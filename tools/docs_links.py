"""What mkdocs does to the pages of docs/ beside rendering them (mkdocs.yml, `make docs`).

Pages link to sources of the repository, which are no part of the site. With ``LODESTONE_REPOSITORY`` (the address of
the repository's page, as the docs workflow gives it) these links lead there; without it their text stays alone.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from mkdocs.exceptions import PluginError

ROOT = Path(__file__).parent.parent
SOURCE = re.compile(r"\[([^\]]+)\]\(\.\./([^)#]+)\)")


def on_page_markdown(markdown: str, **_: object) -> str:
    """Return a page's text with its links to sources changed. Raise PluginError where a source is missing."""
    repository = os.environ.get("LODESTONE_REPOSITORY", "").rstrip("/")

    def lead(link: re.Match[str]) -> str:
        text, path = link.groups()
        if not (ROOT / path).exists():
            raise PluginError(f"../{path}: the repository has no such file")
        return f"[{text}]({repository}/blob/HEAD/{path})" if repository else text

    return SOURCE.sub(lead, markdown)
