"""Campaigns: made and managed, items allocated to people, answers taken in, progress watched."""
