"""How many generated examples a test tries: a fixed sample in ``make test``, all of them in the thorough run."""

from __future__ import annotations

from hypothesis import settings

SAMPLE, THOROUGH = "sample", "thorough"
FEWER, LEAST = 5, 5
"""A sample has a fifth of the examples, but not fewer than this."""


def register() -> None:
    """Make both profiles known and take the sample; ``--hypothesis-profile=thorough`` takes the other one."""
    # How long things take is told by `make bench`: other programs may run beside the tests.
    settings.register_profile(SAMPLE, deadline=None, derandomize=True)
    settings.register_profile(THOROUGH, deadline=None, print_blob=True)
    settings.load_profile(SAMPLE)


def is_sample() -> bool:
    """Tell whether a sample is asked for."""
    return settings.get_current_profile_name() == SAMPLE


def sampled(asked: settings) -> settings:
    """Return what a test asks for, with fewer examples where a sample is asked for."""
    if not is_sample():
        return asked
    few = min(asked.max_examples, max(LEAST, asked.max_examples // FEWER))
    return settings(asked, max_examples=few, derandomize=True, database=None)
