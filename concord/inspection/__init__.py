"""Inspection: one image whole, with what scorers saw, what people say, and what researchers leave beside it."""
