"""Object detectors, a module per family behind one interface (base)."""
