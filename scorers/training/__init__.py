"""Recipes that train the playground's small models from nothing: ``python -m scorers.training.detector --out DIR`` and others.

Only these modules import torch; nothing of the app imports them.
"""
