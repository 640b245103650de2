"""Language models that write questions about a caption, and one that answers them from the caption alone."""
