"""Backups, copies, restoring, scheduled backups, and snapshots for others."""
