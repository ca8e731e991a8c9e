"""Features beside the table, each a folder: :mod:`firmware_host.plug`."""
