"""One answer for each unit from the answers of several people: by majority, Dawid and Skene, or MACE."""
