"""What keeps an installed table in order over the years: backups, the log, warnings, updates, restart and shutdown."""
