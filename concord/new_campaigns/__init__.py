"""A new campaign: planned from what is to be found out, drafted step by step, and what a crowd platform needs to know of it."""
