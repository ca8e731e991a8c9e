"""Python imports this at each start of a process, also of a child's: it makes the desk that the environment names."""

import os

import absent

if name := os.environ.get("LODESTONE_DESK"):
    absent.take_away(name)
