"""Programs that make what the product carries, such as its small trained models; nothing of the product imports them."""
