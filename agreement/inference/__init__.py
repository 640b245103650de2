"""Inference: intervals by the jackknife over prompts and persons, or exact; tests by sign flips; Holm's correction."""
