"""A broker of each kind."""

from tests.link.brokers import broker

__all__ = ["broker"]
