"""Point estimates that follow every answer: sums that are kept and changed, for pages that are live."""
