"""What extensions share: broker, keys, messages; mass work; figures; positions; ratings; boards, chips; libraries."""

from pathlib import Path

SCRIPTS = {"link": Path(__file__).parent / "static"}
"""Modules of pages (``Extension.shared_scripts``)."""
