"""The changes that each event makes: functions of a change and the event, one module per subject."""
