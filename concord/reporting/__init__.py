"""Reporting: all that a report is made from, computed once; how it looks is in ``ui.report``."""
