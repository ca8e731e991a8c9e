"""The subjects of the table, a file each: :mod:`firmware_host.table.subject` says what is collected of them."""
