"""Campaigns as far as they need no database: settings, the order of items, checks, pay and recruitment."""
