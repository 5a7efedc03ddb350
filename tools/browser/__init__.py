"""What `tools/check_site.py` does in a browser: a module for each kind of check."""
