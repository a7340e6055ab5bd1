"""A tractor with trailers: every axle rolls along itself and does not slip sideways; the front axle steers."""

from easydyn import KnifeEdge, Model, dot, ground, tdisp, trotz


def trailer(trailers=2, speed=2.0, element=False):
    """The model, and what holds its axles: that of the tractor, then those of the trailers, 1 m apart."""
    model = Model(f"tractor with {trailers} trailers")
    x, y, angle = model.coordinates("x y angle", initial=(0, 0, 0.3), rates=(speed, 0, 0.5))
    angles = model.coordinates([f"angle{i}" for i in range(trailers)])
    hitch, rows = tdisp(x, y, 0), []
    for i, q in enumerate((angle, *angles)):
        frame = hitch * trotz(q) * tdisp(-1 if i else 0, 0, 0)
        body = model.body(f"trailer {i}" if i else "tractor", frame, mass=10, inertia=(0, 0, 2))
        hitch = frame * trotz(-q)
        if element:
            rows.append(KnifeEdge(body, ground, name=f"axle {i}"))
            model.add(rows[-1])
            continue
        rows.append(model.constraint(dot(frame.R * (0, 1, 0), body.v), name=f"axle {i}"))
    return model, tuple(rows)


if __name__ == "__main__":
    model, rows = trailer()
    print(model.mobility())
    print(model.simulate(1)["angle1"])
