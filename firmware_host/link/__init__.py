"""What extensions share: a broker, keys, messages; mass work; figures; positions; ratings; results; preconditions."""

from pathlib import Path

SCRIPTS = {"link": Path(__file__).parent / "static"}
"""Modules of pages (``Extension.shared_scripts``)."""
