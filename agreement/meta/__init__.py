"""Meta-evaluation: what people's labels and a scorer's verdicts say together about generators, scorers and further labels."""
