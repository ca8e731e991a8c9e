"""Who may do what: seats, tickets, the host's token."""
