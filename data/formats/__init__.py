"""Files of other people's tools and of evidence: read line by line, written as those tools write them."""
