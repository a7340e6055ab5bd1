"""N four-bars side by side, all rods of 1 m and 1 kg: N + 1 cranks on a line, N couplers. One degree of freedom."""

from math import pi

from easydyn import Model, tdisp, trotz


def n_four_bar(n=2, speed=1.0):
    """The model, and its N pins; the cranks stand upright, their ends move to the right at `speed` (m/s)."""
    model = Model(f"{n} four-bars", gravity=(0, -9.81, 0))
    cranks = model.coordinates([f"crank{i}" for i in range(n + 1)], initial=pi / 2, rates=-speed)
    couplers = model.coordinates([f"coupler{i}" for i in range(n)], initial=-pi / 2, rates=speed)
    rod = {"mass": 1, "inertia": (0, 0, 1 / 12), "com": (0.5, 0, 0)}
    links = [model.body(f"link {i}", tdisp(i, 0, 0) * trotz(q), **rod) for i, q in enumerate(cranks)]
    bars = [model.body(f"bar {i}", links[i].T * tdisp(1, 0, 0) * trotz(q), **rod) for i, q in enumerate(couplers)]
    pins = [
        model.close((bar, (1, 0, 0)), (links[i + 1], (1, 0, 0)), joint="revolute", name=f"pin {i}")
        for i, bar in enumerate(bars)
    ]
    return model, tuple(pins)


if __name__ == "__main__":
    model, pins = n_four_bar()
    print(model.mobility())
    print(model.simulate(2).reaction(pins[0]).force[:3])
