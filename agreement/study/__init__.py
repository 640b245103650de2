"""A long frame of judgements cut into cells (generator and task), and what one statistic of one cell came to."""
