"""The way to other machines through an MQTT broker: keys, sealed messages, what was heard. Extensions use it.

``figures.py`` is what Prometheus is told by.
"""
