"""Who comes, and what they may open: accounts, invitation links, sessions, roles."""
