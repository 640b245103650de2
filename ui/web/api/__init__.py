"""The JSON routes; each module has ``router(store)``."""
