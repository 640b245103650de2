"""Runs of scorers and generators: begun, queued, followed, stopped and tried again, split in shards, done elsewhere."""
