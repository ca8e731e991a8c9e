"""What each event changes: functions of a change and the event, a module a subject."""
