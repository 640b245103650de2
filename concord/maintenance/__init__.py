"""A project looked after: backups, and what ``doctor`` finds."""
