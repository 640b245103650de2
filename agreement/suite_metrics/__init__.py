"""The metrics that a suite's own paper defines: declarations, formulas, and estimates for scorers and people."""
