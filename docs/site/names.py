"""Names of the interface that stand in the text as `code` lead to where they are explained.

`Spring` in a page or in a docstring becomes a link, and so do `model.simulate(...)`, `run.energy`, `visu.Box`: by the
names that variables have throughout the documentation. What is not found stays as it is.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

NAME = re.compile(r"@?([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?$")  # one call at most
STAND_FOR = {
    "model": "easydyn.Model",
    "pendulum": "easydyn.Model",
    "run": "easydyn.Trajectory",
    "system": "easydyn.engine.system.CompiledSystem",
    "body": "easydyn.mechanics.mechanism.Body",
    "eq": "easydyn.analysis.Equilibrium",
    "lin": "easydyn.analysis.Linearization",
    "modes": "easydyn.analysis.Modes",
    "stepper": "easydyn.Stepper",
    "scene": "easydyn.visu.Scene",
    "animation": "easydyn.visu.Animation",
    "T": "easydyn.Transform",
}
SHORTEST = 4  # letters of a name without a dot: `t` and `dot` are more often something else


def places(text: str) -> list[str]:
    """Full names that a piece of code may stand for."""
    found = NAME.match(text.strip())
    if not found:
        return []
    name = found[1]
    first, _, rest = name.partition(".")
    if not rest:
        return [f"easydyn.{name}", f"easydyn.visu.{name}", f"easydyn.errors.{name}"] if len(name) >= SHORTEST else []
    return [name, f"easydyn.{name}", *([f"{STAND_FOR[first]}.{rest}"] if first in STAND_FOR else [])]


class Names(SphinxPostTransform):
    """Links on code in the text, where its name is known."""

    default_priority = 400

    def run(self, **_: Any) -> None:
        known = self.env.domaindata["py"]["objects"]
        here = self.env.current_document.docname
        for node in list(self.document.findall(nodes.literal)):
            if isinstance(node.parent, nodes.reference | nodes.title) or node.get("classes") == ["keep"]:
                continue
            entry = next((known[place] for place in places(node.astext()) if place in known), None)
            if entry is None or isinstance(node.parent.parent, nodes.title):
                continue
            link = make_refnode(self.app.builder, here, entry.docname, entry.node_id, node.deepcopy())
            node.replace_self(link)


SOURCE_LINK = re.compile(r'(<a class="viewcode-back" href="(?:[^"#]*/)?(\w+)\.html#)([\w.]+)(")')


def back(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """From the source of a name to its page: also where its module has names that are shown under another one."""
    if not page.startswith("_modules/") or "body" not in context:
        return
    known = app.env.domaindata["py"]["objects"]

    def led(link: re.Match[str]) -> str:
        parts = link[3].split(".")
        if link[3] in known:
            return link[0]
        for k in range(1, len(parts)):
            ending = "." + ".".join(parts[k:])
            for name, entry in known.items():
                if name.endswith(ending) and link[2].endswith(entry.docname.rpartition("/")[2]):
                    return f"{link[1]}{entry.node_id}{link[4]}"
        return link[0]

    context["body"] = SOURCE_LINK.sub(led, context["body"])


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_post_transform(Names)
    app.connect("html-page-context", back)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
