"""Makes all pictures of the documentation anew: `python docs/pictures.py`, and then look at each of them.

They are drawn by easydyn alone, without a browser. `test_pictures.py` in tests compares what is in them, part by part,
with what is listed in pictures/parts.json, which this script writes as well.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from math import pi
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from easydyn import (
    Damper,
    Force,
    GeneralizedForce,
    Model,
    Spring,
    examples,
    ground,
    lab,
    linkages,
    tdisp,
    trotx,
    troty,
    trotz,
    visu,
)
from easydyn.examples import measured
from easydyn.examples.figures import figure, module_of, numbered, scene_of
from easydyn.result import plots

FOLDER = Path(__file__).parent / "pictures"
SIZE = (4.6, 2.9)  # inches
# The instants (s) at which models are shown: those in which something is seen. The initial state of the others.
SEEN = {
    "double_pendulum": 1.3, "slider_crank": 0.0, "spatial_robot": 2.0, "hydraulic_jack": 0.2, "oscillator": 0.4,
    "spring_pendulum": 0.2, "relative_pendulum": 2.2, "free_body": 0.4, "gyroscope": 0.95, "falling_chain": 0.22,
    "bouncing_ball": 0.9, "quarter_car": 0.56, "dc_motor": 0.5, "speed_control": 0.03, "inverted_pendulum": 0.25,
    "tyre_drop": 0.4, "planar_bicycle": 1.0, "trolley_pendulum": 0.45, "fourfold_pendulum": 0.3, "spinning_wheel": 0.3,
    "coupler_curve": 0.3, "v6_engine": 0.004, "walking_legs": 0.5, "hexapod": 0.2, "macpherson": 0.0,
    "benchmark_bicycle": 1.0, "wheel_set": 0.1, "satellite": 1.0,
    "one_axis": 0.6, "robot_r3": 0.6, "seven_axis_arm": 1.2,
}  # fmt: skip
LOOK = {"gyroscope": (0.9, -0.35, 0.35)}  # from where, where the usual place hides something


def automatic(name: str) -> Any:
    """The animation of an example as if no shape had been declared, about the instant at which it is shown."""
    run = module_of(name).simulate()
    duration = max(2.5 * SEEN.get(name, 0.0), 0.3)
    if run.t[-1] > duration:  # what happens much later does not fill the picture
        run = getattr(examples, name)().simulate(duration, save_every=0.005)
    scene = visu.scene_of(run.title, run.source.system, run.t, run.q, run.qd, shapes=False)
    if name in LOOK:
        scene.look(towards=LOOK[name])
    return run.animate(scene=scene)


def declared(name: str) -> Any:
    """The scene of an example with what its module declares, in the initial state."""
    return scene_of(name) or getattr(examples, name)().scene(
        initial={"precession": 1.9} if name == "gyroscope" else None
    )


def with_shapes() -> list[str]:
    """The examples that declare shapes."""
    models = {name: getattr(examples, name)() for name in examples.MODELS}
    return [name for name, model in models.items() if scene_of(name) or any(body.shape for body in model.bodies)]


def parts_of(scene: Any) -> dict[str, int]:
    """What a scene consists of: how many parts of each kind and name."""
    return dict(sorted(Counter(f"{part.body}: {part.name}" for part in scene.parts).items()))


def mechanisms() -> dict[str, Any]:
    """The mechanisms of linkages.md, by name."""
    four = {"ground": 0.9, "crank": 0.3, "coupler": 0.8, "rocker": 0.6}
    makers: dict[str, Callable[[Model], Any]] = {
        "crank_slider": lambda m: linkages.crank_slider(m, crank=0.3, rod=0.9),
        "four_bar": lambda m: linkages.four_bar(m, **four),
        "slide": lambda m: linkages.four_bar_with_slide(m, ground=0.9, crank=0.3, coupler=0.8, slide=0.6),
        "cylinder": lambda m: linkages.bar_with_cylinder(m, bar=1.0, foot=(0.6, -0.2), stroke=0.9),
        "steering": lambda m: linkages.steering(m, track=1.5, arm=(-0.15, -0.05), rack=0.35, behind=0.18, shift=0.05),
        "scissor": lambda m: linkages.scissor(m, stages=3, length=1.2, angle=0.6),
        "watt": lambda m: linkages.watt(m, **four, point=(0.5, -0.3), dyad=(0.9, 0.6), foot=(1.9, 0)),
        "stephenson": lambda m: linkages.stephenson(m, **four, point=(0.5, 0.3), dyad=(1.1, 0.6), foot=(1.6, 0.2)),
        "hexapod": lambda m: linkages.hexapod(m, pose=(0.1, 0.1, 1.1, 0.2, -0.1, 0.1)),
    }
    found = {}
    for name, make in makers.items():
        model = Model(name.replace("_", " "))
        make(model)
        found[name] = model
    found["engine"] = of_a_page("linkages", "engine")
    return found


def ghost() -> Any:
    """Two runs of sight.md in one picture."""
    model = examples.double_pendulum()
    run, other = (model.simulate(5, save_every=0.01, initial={"q1": q}) for q in (0.0, 0.3))
    return run.animate(trace=[("lower arm", (0, -0.55, 0))], ghost=other).picture(at=3.0)


def gear_pair() -> Any:
    """The gears of sight.md."""
    model = Model("gear pair")
    (q,) = model.coordinates("q", rates=2)
    model.body("pinion", trotz(q), mass=1, inertia=(0, 0, 0.01), shape=visu.Gear(0.1, 12, 0.05))
    turned = tdisp(0.3, 0, 0) * trotz(-q / 2 + pi / 24)
    text = visu.Text("24 teeth", at=tdisp(0, 0.25, 0))
    wheel = [visu.Gear(0.2, 24, 0.05, colour="grey"), text]
    model.body("wheel", turned, mass=4, inertia=(0, 0, 0.1), shape=wheel)
    return model.scene()


def geneva_wheel() -> Any:
    """The Geneva wheel of linkages.md, with four slots: at 0.3 rad beside the line of the axes."""
    angle, a, d = 0.3, 0.1 * 0.5**0.5, 0.1
    turned = linkages.geneva(Model("angles"), 4, distance=d).closed_form({"crank": angle})["wheel"]
    model = Model("geneva wheel")
    c, w = model.coordinates("c w", initial=(angle, turned))
    pin = visu.Cylinder(0.005, 0.03, at=tdisp(a, 0, 0.005))
    arm = [visu.Box(a, 0.012, 0.008, at=tdisp(a / 2, 0, 0.013)), visu.Cylinder(0.012, 0.03), pin]
    model.body("crank", trotz(c), mass=1, inertia=(0, 0, 1e-3), shape=arm)
    parts: list[Any] = [visu.Cylinder(0.028, 0.01, colour="grey")]
    for k in range(4):
        slot = trotz(k * pi / 2)
        parts += [visu.Box(0.046, 0.006, 0.01, at=slot * tdisp(0.047, s * 0.0085, 0), colour="grey") for s in (-1, 1)]
        parts.append(visu.Box(0.044, 0.04, 0.01, at=trotz(pi / 4) * slot * tdisp(0.042, 0, 0), colour="grey"))
    model.body("wheel", tdisp(d, 0, 0) * trotz(w), mass=1, inertia=(0, 0, 1e-3), shape=parts)
    return model.scene()


def two_masses() -> Model:
    """The chain of analysis.md."""
    model = Model("two masses")
    x1, x2 = model.coordinates("x1 x2")
    k, c = model.parameters(k=1000, c=2)
    u = model.input("u", unit="N")
    one = model.body("one", tdisp(x1, 0, 0), mass=1, inertia=(0, 0, 0))
    two = model.body("two", tdisp(1 + x2, 0, 0), mass=1, inertia=(0, 0, 0))
    wall = (ground, (-1, 0, 0))
    model.add(Spring(wall, one, stiffness=k, free_length=1), Damper(wall, one, damping=c))
    model.add(Spring(one, two, stiffness=k, free_length=1), GeneralizedForce(x1, u))
    model.output("stretch", x2 - x1)
    return model


def rotor() -> Model:
    """The rotor of analysis.md."""
    model = Model("rotor")
    a, b, spin = model.coordinates("a b spin")
    model.body("disk", trotx(a) * troty(b) * trotz(spin), mass=0, inertia=(0.4, 0.4, 0.7))
    model.add(GeneralizedForce(a, -1000 * a), GeneralizedForce(b, -1000 * b))
    return model


def analyses() -> dict[str, Callable[[], Any]]:
    """The plots of analysis.md, by name."""
    chain = two_masses()
    lin = chain.linearize(at=chain.equilibrium())
    quadratic = np.linspace(0, 80, 161)
    return {
        "poles": lambda: lin.plot_poles(),
        "response": lambda: lin.plot_response(input="u", output="x1"),
        "nyquist": lambda: lin.plot_response(input="u", output="x1", kind="nyquist"),
        "modes": lambda: lin.plot_modes(),
        "locus": lambda: chain.root_locus("c", quadratic, at=chain.equilibrium()).plot(),
        "campbell": lambda: rotor().root_locus("spin.dot", np.linspace(0, 200, 41)).plot_frequencies(),
        "mode": lambda: examples.double_pendulum().linearize(at={"q2": 0}).animate(1).picture(at=(0, 0.25, 0.5)),
    }


JOINTS = {  # by name: the axes along which something slides, and those about which something turns, in the picture
    "revolute": ("", "z"), "prismatic": ("z", ""), "cylindrical": ("z", "z"), "spherical": ("", "xyz"),
    "universal": ("", "xy"), "planar": ("xy", "z"), "weld": ("", ""), "distance": ("xy", "xyz"),
}  # fmt: skip
SLANTS = {"x": (0.9, -0.35), "y": (0.75, 0.5), "z": (0.0, 1.0)}  # of the axes on paper


def joints() -> Any:
    """Each joint of closed loops: two blocks, and arrows for what stays free."""
    import matplotlib.pyplot as plt

    drawing, boxes = plt.subplots(2, 4, figsize=(8.4, 4.4))
    for ax, (name, (slides, turns)) in zip(boxes.flat, JOINTS.items(), strict=True):
        apart = {"distance": 0.2, "weld": -0.12}.get(name, 0.0)
        for sign, colour in ((-1, "0.75"), (1, "#7aa6d8")):
            middle = np.array([0.0, sign * (0.4 + apart)])
            corners = [middle + np.array(p) * 0.7 for p in ((-0.6, -0.4), (0.6, -0.4), (0.6, 0.4), (-0.6, 0.4))]
            ax.add_patch(plt.Polygon(corners, facecolor=colour, edgecolor="black", linewidth=1))
        if name == "distance":
            ax.plot([0, 0], [-apart - 0.1, apart + 0.1], "k-o", linewidth=1.5, markersize=4)
        elif name != "weld":
            ax.plot([0], [0], "ko", markersize=5)
        for axis, direction in SLANTS.items():
            u = np.array(direction) / np.hypot(*direction)
            free = axis in slides + turns
            if free:
                ax.plot(*np.transpose([-1.5 * u, 1.5 * u]), "k:", linewidth=0.8)
                ax.text(*(1.75 * u), axis, ha="center", va="center", fontsize=8)
            if axis in slides:
                ax.annotate("", 1.55 * u, 0.95 * u, arrowprops={"arrowstyle": "<->", "color": "C3", "linewidth": 1.8})
            if axis in turns:
                across = np.array([-u[1], u[0]])
                s = np.linspace(-2.6, 2.2, 40)
                middle = (-1.25 if axis in slides else 1.25) * u
                ring = middle + 0.3 * np.outer(np.cos(s), across) + 0.1 * np.outer(np.sin(s), u)
                ax.plot(*ring.T, color="C2", linewidth=1.8)
                ax.annotate("", ring[-1], ring[-4], arrowprops={"arrowstyle": "->", "color": "C2", "linewidth": 1.8})
        ax.set(xlim=(-2.0, 2.0), ylim=(-2.0, 2.0), aspect="equal", title=name)
        ax.axis("off")
    drawing.tight_layout()
    return boxes[0, 0]


def bent_hook() -> Any:
    """A hook of an I in equilibrium under two loads, coloured by stress."""
    from easydyn.flexible import Material, Section

    model = Model("hook")
    steel = Material(E=210e9, density=7850, nu=0.3)
    hook = model.beam("hook", section=Section.i_beam(0.05, 0.08, 0.006, 0.008), material=steel, elements=6,
                      curve=lambda s: (np.sin(2.2 * s), 1 - np.cos(2.2 * s), 0))  # fmt: skip
    model.add(Force(hook.tip, (-3000, -2500, 0)))
    run = model.simulate(0.01, initial=model.equilibrium().initial)
    return run.animate(colour="stress", every=0.01)


def beams_at_work() -> dict[str, Callable[[], Any]]:
    """The pictures of flexible_cases.md."""

    def made(name: str) -> Any:
        return of_a_page("flexible_cases", name)

    return {
        "crank": lambda: made("crank_film").picture(at=(0, 0.02, 0.06, 0.11)),
        "fall": lambda: made("fall_film").picture(at=(0, 0.15, 0.25, 0.4)),
        "swing": lambda: made("swing_film").picture(at=(0, 0.35, 0.6, 0.8)),
        "southwell": lambda: made("diagram"),
        "cable": lambda: made("hanging").scene(initial=made("catenary").initial).picture(),
        "arch": lambda: made("path").plot("arch_y2"),
    }


def of_a_page(page: str, name: str) -> Any:
    """The model that a page of docs/ makes, by the name it has there."""
    text = (FOLDER.parent / f"{page}.md").read_text(encoding="utf-8")
    made: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(block, made)
        if name in made:
            return made[name]
    raise LookupError(f"{page}.md makes no {name}")


def filmed() -> Path:
    """A frame of a film with the simulation drawn over it; it needs ffmpeg."""
    with TemporaryDirectory() as folder:
        run, places = measured.motion()
        film = measured.filmed(Path(folder) / "film.mp4", places)
        camera = lab.Camera(Model("of a camera"), **measured.CAMERA)
        return Path(run.overlay(film, camera).save(FOLDER / "measured.png", at=1.35))


def save(ax: Any, name: str) -> Path:
    """Write what was drawn, and forget it."""
    from matplotlib import pyplot

    path = FOLDER / f"{name}.png"
    ax.figure.savefig(path, dpi=90, metadata={"Software": None})
    pyplot.close(ax.figure)
    return path


def moving() -> Path:
    """The picture of the README that moves: few colours, so that it is small."""
    from PIL import Image

    from easydyn.visu import film

    run = examples.double_pendulum().simulate(4, save_every=0.01, initial={"q1": 0.4, "q2": 1.6})
    film.PIXELS_PER_INCH = 60
    path = run.animate(trace=[("lower arm", (0, -0.55, 0))], every=0.05, plots=()).save(FOLDER / "double_pendulum.gif")
    whole = Image.open(path)
    frames = []
    for k in range(whole.n_frames):
        whole.seek(k)
        frames.append(whole.convert("RGB"))
    whole.close()
    few = frames[10].quantize(colors=32, method=Image.Quantize.MEDIANCUT)
    first, *others = (frame.quantize(palette=few, dither=Image.Dither.NONE) for frame in frames)
    first.save(path, save_all=True, append_images=others, duration=50, loop=0, optimize=True)
    return path


def main() -> None:
    """Draw everything."""
    import matplotlib

    matplotlib.use("Agg")
    FOLDER.mkdir(exist_ok=True)
    parts = {}
    with matplotlib.rc_context({"figure.figsize": SIZE, "axes.titlesize": 10, "font.size": 9}):
        for name in examples.MODELS:
            animation = automatic(name)
            parts[name] = parts_of(animation.scene)
            print(save(animation.picture(at=SEEN.get(name, 0.0)), name))
        for name in with_shapes():
            scene = declared(name)
            parts[f"{name}_shapes"] = parts_of(scene)
            print(save(scene.picture(), f"{name}_shapes"))
        print(save(gear_pair().picture(), "gears"))
        print(save(geneva_wheel().picture(), "linkage_geneva"))
        print(save(ghost(), "ghost"))
        print(save(of_a_page("ropes", "hoist").scene().picture(), "ropes"))
        print(save(of_a_page("sight", "acting").picture(at=0.9), "arrows"))
        print(save(of_a_page("sight", "water").picture(), "surfaces"))
        print(save(of_a_page("contact", "cams").simulate(0.03).animate().picture(at=0.029), "cam"))
        print(save(of_a_page("contact", "tables").simulate(0.2).animate().picture(at=0.15), "touching"))
        print(save(bent_hook().picture(), "bent_hook"))
        for name, drawn in beams_at_work().items():
            print(save(drawn(), f"case_{name}"))
        for name, model in mechanisms().items():
            print(save(model.scene().picture(), f"linkage_{name}"))
    for number, (_, picture) in numbered().items():
        if picture in ("drawing", "image"):
            print(save(figure(number), f"figure_{number:02d}"))
    with plots.style("print"):
        for name, drawn in analyses().items():
            print(save(drawn(), name))
    print(save(joints(), "joints"))
    print(filmed())
    bicycle = of_a_page("rolling", "bicycle")
    with plots.style("print"):
        drawn = bicycle.root_locus("v", np.linspace(0, 10, 201)).plot_parts()
        drawn.set(ylim=(-10, 10), xlabel="speed v [m/s]")
        print(save(drawn, "bicycle_poles"))
    with matplotlib.rc_context({"figure.figsize": SIZE, "axes.titlesize": 10, "font.size": 9}):
        run = bicycle.simulate(0.6, initial={"lean.dot": 0.5}, save_every=0.1)
        print(save(run.animate().picture(at=0.5), "bicycle"))
    text = json.dumps(parts, indent=1) + "\n"
    (FOLDER / "parts.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
