"""The agreement report: people among themselves, scorers beside people, scorers beside each other, and the human ceiling."""
