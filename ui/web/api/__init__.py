"""The JSON routes; each module has functions from a store to its router."""
