"""The vocabulary of long work: the folders by which the server and its workers (scoring, generating,
maps) talk to each other.
"""
