"""Chaplygin's sleigh: a body on a smooth plane, one runner behind its centre of mass, which does not slip sideways."""

from easydyn import KnifeEdge, Model, cross, dot, ground, tdisp, trotz


def sleigh(behind=0.3, speed=1.0, turn=2.0, element=False):
    """The model, and its runner, an equation or an element; 2 kg, 0.5 kg m2; `speed` along the runner."""
    model = Model("sleigh")
    x, y, angle = model.coordinates("x y angle", rates=(speed, behind * turn, turn))
    body = model.body("sleigh", tdisp(x, y, 0) * trotz(angle), mass=2, inertia=(0, 0, 0.5))
    if element:
        model.add(KnifeEdge((body, (-behind, 0, 0)), ground, name="runner"))
        return model, model.constraints
    R = body.T.R
    slip = dot(R * (0, 1, 0), body.v + cross(body.omega, R * (-behind, 0, 0)))
    return model, (model.constraint(slip, name="runner"),)


if __name__ == "__main__":
    model, rows = sleigh()
    print(model.mobility())
    print(model.simulate(1)["angle.dot"])
