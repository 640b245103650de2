"""What makes things that the product carries, and is no part of it: nothing of the product imports it."""
