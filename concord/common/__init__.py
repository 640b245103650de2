"""What all activities share: the context that a command works in, errors, settings, the wording of numbers and reasons, the
version that pages follow.
"""
