"""The command line: a file per group of commands (options in, ``concord`` called, text or JSON out), and the tables that
commands print. ``app.py`` puts the groups together; what it imports is light.
"""
