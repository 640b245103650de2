"""Campaigns as a researcher handles them: planned from a spec, watched, adjudicated. The page Campaigns and the commands
``campaigns`` both call this.
"""
