"""The big screen: the table for a television, readable from across the room."""
