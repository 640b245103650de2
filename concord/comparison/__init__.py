"""Generators and scorers compared: the leaderboard, pairs of generators, preferences, and image-text matching."""
