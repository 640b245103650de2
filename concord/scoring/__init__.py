"""Scoring: have a scorer look at images here (score, queue, run session, the app's run manager) or on other machines
(sharding, remote runs).
"""
