"""Published human studies: imported, and their printed numbers computed again."""
