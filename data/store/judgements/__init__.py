"""Judgements and what they follow from: annotations, scorers' evidence, which answers count, verdicts, notes and tags."""
