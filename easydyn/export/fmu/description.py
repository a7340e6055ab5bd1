"""The description of an FMU in XML: identity, capabilities, variables and their dependencies."""

from __future__ import annotations

import platform
import sys
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from easydyn import __version__
from easydyn.export.fmu.content import Content, Variable
from easydyn.export.text import plain

ENDINGS = {"win32": ".dll", "darwin": ".dylib"}
SYSTEMS = {"win32": "windows", "darwin": "darwin"}
SHORT = {"win32": "win", "darwin": "darwin"}


def platform_folder(version: str) -> tuple[str, str]:
    """Where the library of this machine stands among the binaries, and its ending."""
    ending = ENDINGS.get(sys.platform, ".so")
    if version == "2.0":
        return f"{SHORT.get(sys.platform, 'linux')}{'64' if sys.maxsize > 2**32 else '32'}", ending
    machine = platform.machine().lower()
    processor = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
    return f"{processor}-{SYSTEMS.get(sys.platform, 'linux')}", ending


def _text(root: Element) -> bytes:
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def build_description(name: str) -> bytes:
    """How the source is compiled (FMI 3.0)."""
    root = Element("fmiBuildDescription", fmiVersion="3.0")
    configuration = SubElement(root, "BuildConfiguration", modelIdentifier=name)
    files = SubElement(configuration, "SourceFileSet", language="C11")
    SubElement(files, "SourceFile", name="model.c")
    return _text(root)


def description(content: Content, version: str, name: str, token: str, tolerance: float) -> bytes:
    """modelDescription.xml."""
    second = version == "2.0"
    root = Element("fmiModelDescription", fmiVersion=version, modelName=plain(content.system.mechanism.name))
    root.set("guid" if second else "instantiationToken", token)
    root.set("generationTool", f"easydyn {__version__}")
    root.set("variableNamingConvention", "flat")
    if second:
        root.set("numberOfEventIndicators", str(len(content.indicators)))
    state = "FMUstate" if second else "FMUState"
    able: dict[str, Any] = {f"canGetAndSet{state}": "true", f"canSerialize{state}": "true"}
    exchange = SubElement(root, "ModelExchange", modelIdentifier=name, **able)
    together = SubElement(
        root, "CoSimulation", modelIdentifier=name, canHandleVariableCommunicationStepSize="true", **able
    )
    if second:
        for kind in (exchange, together):
            SubElement(SubElement(kind, "SourceFiles"), "File", name="model.c")
    else:
        exchange.set("needsCompletedIntegratorStep", "true")
    variables = [v for v in content.variables if not (second and v.causality == "independent")]
    units = sorted({v.unit for v in variables if v.unit})
    if units:
        defined = SubElement(root, "UnitDefinitions")
        for unit in units:
            SubElement(defined, "Unit", name=unit)
    SubElement(root, "DefaultExperiment", startTime="0", tolerance=repr(tolerance))
    listed = SubElement(root, "ModelVariables")
    places = {v.reference: k for k, v in enumerate(variables, start=1)}
    for v in variables:
        _listed(listed, v, places if second else {})
    structure = SubElement(root, "ModelStructure")
    outputs = [v for v in variables if v.causality == "output"]
    states = [content.variables[v.derivative_of] for v in content.derivatives if v.derivative_of is not None]
    unknown = list({v.reference: v for v in [*outputs, *states, *content.derivatives] if v.initial != "exact"}.values())
    if second:
        for title, which in (("Outputs", outputs), ("Derivatives", content.derivatives), ("InitialUnknowns", unknown)):
            group = SubElement(structure, title) if which else None
            for v in which:
                assert group is not None
                SubElement(group, "Unknown", index=str(places[v.reference]))
        return _text(root)
    first = len(content.variables) - len(content.indicators)
    for title, which in (
        ("Output", outputs), ("ContinuousStateDerivative", content.derivatives), ("InitialUnknown", unknown),
        ("EventIndicator", content.variables[first:]),
    ):  # fmt: skip
        for v in which:
            SubElement(structure, title, valueReference=str(v.reference))
    return _text(root)


def _listed(listed: Element, v: Variable, places: dict[int, int]) -> None:
    """A variable; `places` are the numbers by which FMI 2.0 names variables, FMI 3.0 has none."""
    about = {"name": v.name, "valueReference": str(v.reference), "causality": v.causality, "variability": v.variability}
    about |= {"initial": v.initial} if v.initial else {}
    real = SubElement(SubElement(listed, "ScalarVariable", about), "Real") if places else (
        SubElement(listed, "Float64", about)
    )  # fmt: skip
    if v.unit:
        real.set("unit", v.unit)
    if v.derivative_of is not None:
        real.set("derivative", str(places[v.derivative_of] if places else v.derivative_of))
    if v.start is not None:
        real.set("start", repr(v.start))
