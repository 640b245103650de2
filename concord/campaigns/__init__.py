"""Campaigns as a researcher handles them: planned from a spec, watched, adjudicated. The place People and the commands
``campaigns`` both call this.
"""
