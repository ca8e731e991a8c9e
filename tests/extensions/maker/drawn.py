"""Drawings as other programs read them, by libraries that take a second to import: here, not in each worker."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ezdxf.document
    import pypdf


def read_dxf(path: Path) -> ezdxf.document.Drawing:
    """Return what is in a DXF file."""
    import ezdxf  # noqa: PLC0415

    return ezdxf.readfile(path)


def read_pdf(path: Path) -> pypdf.PdfReader:
    """Return what is in a PDF file."""
    import pypdf  # noqa: PLC0415

    return pypdf.PdfReader(path)
