"""Where scorers err: confusion tables, failure patterns, flipped prompts, and evidence judged by other settings."""
