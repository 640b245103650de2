"""Scores to decisions: cuts of a score against people's yes or no, and settings tuned to people."""
