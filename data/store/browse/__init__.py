"""What Browse, Map and item pages read: filters, grids, facets, an item whole; and keeping their index fresh."""
