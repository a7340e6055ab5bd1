"""Reference solutions of equations whose formula changes on the way: by SciPy, to nearly all digits."""

import numpy as np
from scipy.integrate import solve_ivp

ACCURATE = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14}
BEYOND = 1e-7  # s; so far beyond a switch, the next one is looked for


def solve_in_pieces(f, times, start, switches):
    """States at `times`, one a row, of dy/dt = f(t, y) from `start`; a step ends wherever a switch(t, y) is zero.

    A method of high order keeps its order only where f is smooth: across the kink of a contact it loses most of its
    digits, whatever its tolerance. Between zeros of the switches f must be smooth.
    """
    for switch in switches:
        switch.terminal = True
    times, now, y = np.asarray(times, dtype=float), times[0], np.asarray(start, dtype=float)
    found = np.full((len(times), len(y)), np.nan)
    found[times == now] = y
    hop = False
    while now < times[-1]:
        if hop:
            then = min(now + BEYOND, times[-1])
        else:
            then = solve_ivp(f, (now, times[-1]), y, events=switches, **ACCURATE).t[-1]
        hop = not hop
        if then == now:
            continue
        here = (now < times) & (times <= then)
        # A step ends there: what SciPy gives at an event is cut out of a longer one.
        piece = solve_ivp(f, (now, then), y, t_eval=np.union1d(times[here], then), **ACCURATE)
        assert piece.success, piece.message
        found[here] = piece.y[:, : here.sum()].T
        now, y = then, piece.y[:, -1]
    return found
