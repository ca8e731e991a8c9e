"""The Flask panel: lobby, phones, big view."""
