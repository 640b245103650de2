"""Backups, copies, restoring, scheduled backups, snapshots for others, and the project's health."""
