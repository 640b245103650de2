"""GenEval: perceiving with a detector and a colour classifier (scorer), the rules, and results.jsonl of its own script
(results).
"""
