"""Access rights: seats, tickets, seat requests, the host's token."""
