"""The program on the Pi: rules, the table, the loop and the command line."""
