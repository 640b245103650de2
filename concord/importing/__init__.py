"""Importing: prompts, images, ratings, what Concord exported, the playground; and imports undone. Studies have a package of
their own.
"""
