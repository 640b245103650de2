"""Image files: where the images of a folder belong, and files decoded, checked and shrunk for the screen."""
