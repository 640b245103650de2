"""What statistics, pages and exports read: aggregates, confusion cells, preferences, flip tests, VQA answers."""
