"""Image-text matching: captions to choose among, files that bring them, and a set drawn in the playground's world."""
