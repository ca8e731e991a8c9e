"""What mkdocs does to the pages of docs/ beside rendering them (mkdocs.yml, `make docs`).

Extensions bring pages of their own, which stand in their folders and become pages of the site; of an extension that is
not here the site has none, and links to it are plain words.

Pages link to sources of the repository, which are no part of the site. With ``LODESTONE_REPOSITORY`` (the address of
the repository's page, as the docs workflow gives it) these links lead there; without it their text stays alone.

The site has the program itself, try/ (:mod:`tools.tab_site`), which the repository has not. A link to it leads to the
page that tells of it, with the place in its title: ``[...](desks.md#in-a-browser-tab "try/?game=...")``; on the site it
leads there. What a page marks ``<!-- run -->`` is Python that its reader can run there, too. With ``PAGES_ALONE`` the
site is made without it: to check pages the program need not be compiled for browsers.
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from tools import tab_site

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
EXTENSIONS = ROOT / "firmware_host/extensions"
PAGES_ALONE = bool(os.environ.get("PAGES_ALONE"))
TRY = re.compile(r'\]\(desks\.md#in-a-browser-tab "try/([^"]*)"\)')
RUN = re.compile(r"<!-- run -->\n\n?(```python\n.*?^```$)", re.MULTILINE | re.DOTALL)
SCRIPT = '\n\n<link rel="stylesheet" href="try/run.css">\n<script type="module" src="try/run.js"></script>\n'
LINK = re.compile(r"\[([^\]]+)\]\((?!\w+:)([^)#\s]+)(#[^)\s]*)?\)")


@cache
def own_pages() -> list[Path]:
    """Return the pages of extensions."""
    return sorted(path for path in EXTENSIONS.glob("*/*.md") if path.name != "README.md")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Leave out of the navigation what an extension that is not here would bring."""
    here = {path.name for path in own_pages()} | {path.name for path in DOCS.glob("*.md")}
    config.nav = _present(config.nav, here)
    return config


def _present(part: Any, here: set[str]) -> Any:
    if isinstance(part, list):
        return [_present(one, here) for one in part if not isinstance(one, str) or one in here or one.endswith("/")]
    return {name: _present(one, here) for name, one in part.items()} if isinstance(part, dict) else part


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of extensions, and try/. Raise PluginError where that can't be made."""
    for path in own_pages():
        files.append(File(path.name, str(path.parent), config.site_dir, config.use_directory_urls))
    if PAGES_ALONE:
        return files
    try:
        for name, made in tab_site.build().items():
            files.append(File.generated(config, f"try/{name}", abs_src_path=str(made)))
    except tab_site.SiteError as error:
        raise PluginError(str(error)) from error
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: object) -> str:
    """Return a page's text with its links changed. Raise PluginError where a source is missing."""
    repository = os.environ.get("LODESTONE_REPOSITORY", "").rstrip("/")
    folder = Path(str(page.file.abs_src_path)).parent

    def lead(link: re.Match[str]) -> str:
        text, target, anchor = link.groups()
        path = Path(os.path.normpath(folder / target))
        if path.is_relative_to(DOCS):
            return f"[{text}]({path.relative_to(DOCS).as_posix()}{anchor or ''})"
        if path.is_relative_to(EXTENSIONS) and path in own_pages():
            return f"[{text}]({path.name}{anchor or ''})"
        if path.is_relative_to(EXTENSIONS) and not (EXTENSIONS / path.relative_to(EXTENSIONS).parts[0]).is_dir():
            return text
        if not path.exists():
            raise PluginError(f"{target}: the repository has no such file")
        return f"[{text}]({repository}/blob/HEAD/{path.relative_to(ROOT).as_posix()})" if repository else text

    markdown = markdown if PAGES_ALONE else TRY.sub(r"](try/index.html\1)", markdown)
    text, runs = RUN.subn(r'<div class="run" markdown="1">\n\n\1\n\n</div>', markdown)
    return LINK.sub(lead, text) + SCRIPT * bool(runs)
