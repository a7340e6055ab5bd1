"""From a model to its run: what is set up, what jumps, what is watched; `sim` makes the steps."""
