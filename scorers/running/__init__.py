"""How a run is executed: the worker process, perceiving with isolated faults, engines, and judging stored evidence again."""
