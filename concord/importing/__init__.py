"""Importing: prompts, images, ratings, what Concord exported, the playground; and imports taken back. Studies have a package
of their own.
"""
