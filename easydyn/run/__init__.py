"""From a model to its run: setup, jumps, monitoring; `sim` makes the steps."""
