"""Core of the store: connections, schema, reading and writing, selections, the frame, and what other rooms share."""
