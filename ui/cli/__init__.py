"""The command line: a file per group of commands (options in, ``concord`` called, text or JSON out), and the tables that
commands print. Each module adds its commands to the groups of ``options``; what they import is light.
"""
