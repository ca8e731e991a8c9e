"""The program in a browser's tab."""
