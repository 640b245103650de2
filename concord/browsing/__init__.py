"""Browsing: which images an address lists, and what a grid, its filters and its tags tell of them."""
