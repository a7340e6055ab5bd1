"""Solution of exercise 03."""

from sympy import cos, sin

from easydyn import Model, cross, t, tdisp, trotx, trotz, vcoord

model = Model("pendulum on a turntable")
s, q = model.coordinates("s q")
l, w = model.parameters(l=0.6, w=2.0)
T = trotz(w * t) * tdisp(s, 0, 0) * trotx(q) * tdisp(0, 0, -l)

d_s = vcoord(cos(w * t), sin(w * t), 0)
d_q = vcoord(-l * cos(q) * sin(w * t), l * cos(q) * cos(w * t), l * sin(q))
theta_s = vcoord(0, 0, 0)
theta_q = vcoord(cos(w * t), sin(w * t), 0)
omega_t = vcoord(0, 0, w)
v_t = cross(omega_t, T.e)
