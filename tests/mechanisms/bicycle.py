"""Whipple's bicycle: two wheels that roll without slip, a frame with its rider, a fork; the published benchmark."""

from easydyn.examples.whipple import BENCHMARK, of_data

__all__ = ["BENCHMARK", "bicycle"]


def bicycle(speed=4.6, **changes):
    """The model, and its wheels on the ground; `speed` (m/s) is a parameter; `changes` of the benchmark."""
    model = of_data(BENCHMARK | changes, speed)
    return model, model.constraints


if __name__ == "__main__":
    model, wheels = bicycle()
    print(model.mobility())
    print(model.linearize())
