"""Exercise 03, partial contributions.

Replace every `...`; README.md says what is asked.
"""

from sympy import cos, sin

from easydyn import Model, t, tdisp, trotx, trotz, vcoord

model = Model("pendulum on a turntable")
s, q = model.coordinates("s q")
l, w = model.parameters(l=0.6, w=2.0)
T = trotz(w * t) * tdisp(s, 0, 0) * trotx(q) * tdisp(0, 0, -l)

# 1. What the rate of s contributes to the velocity: a vector of ground components
d_s = ...

# 2. What the rate of q contributes to the velocity
d_q = ...

# 3. What they contribute to the angular velocity
theta_s = ...
theta_q = ...

# 4. What remains when s and q stand still
v_t = ...
omega_t = ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("03", globals())
