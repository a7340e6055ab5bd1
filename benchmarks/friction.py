"""Exact friction beside none, and beside the smooth law: ratios of times in one run.

    python benchmarks/friction.py

A chain of ten links that falls, with friction in each joint and without; six joints beside the smooth law with a speed
of slip of 1e-7 rad/s, which Radau (SciPy) can integrate.
"""

from statistics import median
from time import perf_counter

from easydyn import JointFriction, Model, tdisp, trotx, trotz

LEVELS = (0.784, 1.329, 3.303, 2.537, 0.829, 1.970)
START = (1.2, -0.4, 0.6, 0.3, -0.5, 0.8)


def chain(start, levels, slip_speed=None):
    """Links that hang on each other, with friction of these levels (N m)."""
    model = Model("chain", gravity=(0, -9.81, 0))
    q = model.coordinates(" ".join(f"q{i + 1}" for i in range(len(start))), initial=start)
    T = trotz(0)
    for i, (x, level) in enumerate(zip(q, levels, strict=True)):
        T = T * (trotx(x) if i % 2 else trotz(x)) * tdisp(0, -0.25, 0)
        model.body(f"link {i}", T, mass=1 + 0.1 * i, inertia=(0.02, 0.01, 0.03))
        T = T * tdisp(0, -0.25, 0)
        if level:
            model.add(JointFriction(x, level, slip_speed=slip_speed))
    return model


def seconds(model, times, **options):
    """Median time of a run (s), after a first one, and the last run."""
    run = model.simulate(**options)
    found = []
    for _ in range(times):
        begin = perf_counter()
        run = model.simulate(**options)
        found.append(perf_counter() - begin)
    return median(found), run


if __name__ == "__main__":
    start = (1.0, *[0.1] * 9)
    print("chain of ten links, 5 s, friction of 1 to 0.1 N m in the joints:")
    for method in ("newmark", "dop853"):
        without, _ = seconds(chain(start, [0] * 10), 9, t_final=5, method=method)
        rough = chain(start, [(10 - i) / 10 for i in range(10)])
        exact, run = seconds(rough, 9, t_final=5, method=method)
        each = (exact - without) / len(run.events)
        ratio, changes = exact / without, len(run.events)
        print(f"  {method:8s} {ratio:6.1f} times the run without friction")
        print(f"           ({changes} changes of mode, {1e3 * each:.2f} ms for each of them)")
    exact, _ = seconds(chain(START, LEVELS), 5, t_final=0.6, method="dop853", tolerance=1e-10)
    smooth, _ = seconds(chain(START, LEVELS, 1e-7), 1, t_final=0.6, method="scipy:Radau", tolerance=1e-9)
    print(f"six joints, 0.6 s: the smooth law takes {smooth / exact:.0f} times as long")
