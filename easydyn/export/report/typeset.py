"""Formulas as small trees of parts beside, above and below each other, for LaTeX, MathML and their width.

`layout(expression)` makes the tree of a SymPy expression. `width(tree)` is in widths of a letter, near enough to know
where a line is full.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import And, BooleanFalse, BooleanTrue, Not, Or

GREEK = {name: chr(0x3B1 + k) for k, name in enumerate(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho . sigma tau upsilon phi "
    "chi psi omega".split()) if name not in (".", "omicron")} | {
    "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ",
    "Psi": "Ψ", "Omega": "Ω"}  # fmt: skip


class Sym(NamedTuple):
    """A symbol: its letter or word, what stands below it, and dots above it."""

    base: str
    sub: str = ""
    dots: int = 0


class Num(NamedTuple):
    """A number: its digits, and a power of ten."""

    digits: str
    exponent: str = ""


class Op(NamedTuple):
    """An operator or a sign between other things: + - = < , and so on."""

    sign: str


class Word(NamedTuple):
    """Upright text."""

    text: str


class Row(NamedTuple):
    """Things beside each other."""

    items: tuple[Any, ...]


class Frac(NamedTuple):
    """A fraction."""

    above: Any
    below: Any


class Power(NamedTuple):
    """A power."""

    base: Any
    exponent: Any


class Fence(NamedTuple):
    """Something between brackets."""

    inside: Any
    left: str = "("
    right: str = ")"


class Root(NamedTuple):
    """A square root."""

    inside: Any


class Cases(NamedTuple):
    """Values with their conditions, below each other."""

    rows: tuple[tuple[Any, Any], ...]


class Grid(NamedTuple):
    """A matrix."""

    rows: tuple[tuple[Any, ...], ...]


Tree: TypeAlias = Sym | Num | Op | Word | Row | Frac | Power | Fence | Root | Cases | Grid

THIN = Op(" ")  # between factors


def symbol(name: str) -> Tree:
    """The tree of a name as users write it: q1, l_upper, alpha, q1.dot."""
    plain, _, suffix = name.partition(".")
    dots = {"": 0, "dot": 1, "ddot": 2}.get(suffix)
    if dots is None or not plain:
        return Word(name)
    base, _, rest = plain.strip("_").partition("_")
    digits = re.fullmatch(r"(.*?[^\W\d])(\d+)", base)
    if digits:
        base, rest = digits[1], f"{digits[2]},{rest}" if rest else digits[2]
    capital = re.fullmatch(r"([a-zA-Z])([A-Z]\w?)", base)  # pE2, as the letter p and what stands below it
    if capital and not rest.count(","):
        base, rest = capital[1], capital[2] + rest
    return Sym(base or plain, rest.replace("_", ","), dots)


def row(*items: Any) -> Row:
    """Things beside each other."""
    return Row(items)


def number(x: Any) -> Tree:
    """A number to six digits; halves, thirds and parts of pi as such."""
    if isinstance(x, sympy.Integer | int):
        return Num(str(x))
    if isinstance(x, sympy.Rational):
        return Frac(Num(str(x.p)), Num(str(x.q)))
    text, _, exponent = f"{float(x):.6g}".partition("e")
    return Num(text, str(int(exponent)) if exponent else "")


# -- from SymPy -----------------------------------------------------------------------------------------------------

_WORDS = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "log": "ln", "sign": "sgn", "Max": "max", "Min": "min",
          "atan2": "atan2", "asinh": "arsinh", "acosh": "arcosh", "atanh": "artanh"}  # fmt: skip
_RELATIONS = {"==": "=", "!=": "≠", "<=": "≤", ">=": "≥", "<": "<", ">": ">"}


def layout(e: Any) -> Tree:
    """The tree of a SymPy expression, of a condition, or of a number."""
    e = sympy.sympify(e)
    if isinstance(e, sympy.Symbol):
        return symbol(str(e))
    if isinstance(e, sympy.Number):
        if e.is_infinite:
            return Row((Op("−"), Word("∞"))) if e.is_negative else Word("∞")
        return row(Op("−"), number(-e)) if e < 0 else number(e)
    if e is sympy.pi:
        return Sym("pi")
    if isinstance(e, sympy.Add):
        return _sum(e)
    if isinstance(e, sympy.Mul):
        return _product(e)
    if isinstance(e, sympy.Pow):
        return _power(e.base, e.exp)
    if isinstance(e, sympy.exp):
        return Power(Sym("e"), layout(e.args[0]))
    if isinstance(e, sympy.Abs):
        return Fence(layout(e.args[0]), "|", "|")
    if isinstance(e, sympy.Piecewise):
        return Cases(tuple((layout(value), layout(condition)) for value, condition in e.args))
    if isinstance(e, BooleanTrue | BooleanFalse):
        return Word("otherwise") if e else Word("never")
    if isinstance(e, Relational) and e.rel_op in _RELATIONS:
        return row(layout(e.lhs), Op(_RELATIONS[e.rel_op]), layout(e.rhs))
    if isinstance(e, And | Or):
        parts = [layout(a) for a in e.args]
        return _joined(parts, Word(" and " if isinstance(e, And) else " or "))
    if isinstance(e, Not):
        return row(Word("not "), Fence(layout(e.args[0])))
    if isinstance(e, sympy.Function | sympy.Max | sympy.Min):
        name = type(e).__name__
        return row(Word(_WORDS.get(name, name)), Fence(listed(e.args)))
    return Word(str(e))


def listed(expressions: Iterable[Any]) -> Row:
    """Expressions beside each other, with commas between them."""
    return _joined([layout(e) for e in expressions], Op(","))


def _joined(parts: Sequence[Any], between: Any) -> Row:
    return Row(tuple(x for k, part in enumerate(parts) for x in ((between, part) if k else (part,))))


def terms(e: Any) -> list[tuple[bool, Tree]]:
    """The terms of a sum: whether each is subtracted, and its tree."""
    found = []
    for part in e.as_ordered_terms() if isinstance(e, sympy.Add) else [e]:
        negative = bool(part.could_extract_minus_sign()) and not isinstance(part, sympy.Add)
        found.append((negative, layout(-part if negative else part)))
    return sorted(found, key=lambda term: term[0]) if found and found[0][0] else found


def _sum(e: sympy.Add) -> Row:
    items: list[Any] = []
    for k, (negative, tree) in enumerate(terms(e)):
        items += [Op("−")] if negative else [Op("+")] if k else []
        items.append(tree)
    return Row(tuple(items))


def _bracketed(e: Any) -> Tree:
    tree = layout(e)
    open_ended = isinstance(e, sympy.Add | sympy.Piecewise | Relational) or (e.is_Number and e < 0)
    return Fence(tree) if open_ended or (isinstance(e, sympy.Mul) and e.could_extract_minus_sign()) else tree


def _product(e: sympy.Mul) -> Tree:
    if e.could_extract_minus_sign():
        inner = -e
        return row(Op("−"), _bracketed(inner) if isinstance(inner, sympy.Add) else layout(inner))
    above, below = sympy.fraction(e, exact=True)
    if below != 1:
        return Frac(layout(above), layout(below))
    factors = above.as_ordered_factors() if isinstance(above, sympy.Mul) else [above]
    numbers = [f for f in factors if f.is_Number and f != 1]
    others = [f for f in factors if not f.is_Number]
    if len(others) == 1 and not numbers:
        return layout(others[0])
    return _joined([_bracketed(f) for f in (*numbers, *others)], THIN)


def _power(base: Any, exponent: Any) -> Tree:
    if exponent == sympy.Rational(1, 2):
        return Root(layout(base))
    if exponent.could_extract_minus_sign():
        return Frac(Num("1"), layout(base**-exponent))
    if isinstance(base, sympy.Function) and not isinstance(base, sympy.Abs | sympy.exp | sympy.Piecewise):
        tree = layout(base)
        if isinstance(tree, Row) and exponent.is_Integer:  # sin^2(x)
            return Row((Power(tree.items[0], layout(exponent)), *tree.items[1:]))
    atom = isinstance(base, sympy.Symbol | sympy.Abs) or base is sympy.pi or (base.is_Integer and base >= 0)
    return Power(layout(base) if atom else Fence(layout(base)), layout(exponent))


# -- how wide ---------------------------------------------------------------------------------------------------------


def width(tree: Any) -> float:
    """Width in letters."""
    if isinstance(tree, Sym):
        base = 1.0 if tree.base in GREEK else float(len(tree.base))
        return base * 1.05 + 0.7 * len(tree.sub)
    if isinstance(tree, Num):
        return 0.95 * len(tree.digits) + (2.5 + 0.6 * len(tree.exponent) if tree.exponent else 0)
    if isinstance(tree, Op):
        return {" ": 0.35, ",": 0.9}.get(tree.sign, 2.4)
    if isinstance(tree, Word):
        return 0.95 * len(tree.text)
    if isinstance(tree, Row):
        return sum(map(width, tree.items))
    if isinstance(tree, Frac):
        return max(width(tree.above), width(tree.below)) + 0.5
    if isinstance(tree, Power):
        return width(tree.base) + 0.7 * width(tree.exponent)
    if isinstance(tree, Fence):
        return width(tree.inside) + 1.6
    if isinstance(tree, Root):
        return width(tree.inside) + 1.8
    if isinstance(tree, Cases):
        return max(width(a) for a, _ in tree.rows) + max(width(b) for _, b in tree.rows) + 5
    columns = zip(*tree.rows, strict=True)
    return sum(max(map(width, column)) + 2 for column in columns) + 2
