"""A broker of each kind, and connections in a hurry."""

from tests.link.brokers import broker, hurried

__all__ = ["broker", "hurried"]
