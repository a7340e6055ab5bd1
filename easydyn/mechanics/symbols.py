"""Time, generalised coordinates, first-order states, parameters and inputs: SymPy symbols that know their derivatives.

Notation: q.dot and q.ddot are the first and second time derivatives of the generalised coordinate q (the paper's
configuration parameter); p.dot is the derivative of the first-order state p (eq. 29). All are real. The symbols are
plain values: two coordinates of the same name are the same symbol, initial values and units belong to the model.

`diff(expression, t)` is the derivative along the motion, as in sympy.physics.mechanics: the derivative of q is q.dot.
The textbook also needs the derivative with q held constant: `partial_derivative`.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import sympy

from easydyn.arguments import answers
from easydyn.errors import InputError, NoNumberError, UnknownAttributeError


class Declared(tuple):
    """The result of a declaration: a tuple, which gives a clear error if it is used as its symbol (`-q`, `q.dot`).

    >>> from easydyn import Model
    >>> (x,) = Model("block").coordinates("x")
    >>> x.dot
    x.dot
    """

    __slots__ = ()

    def _mistaken(self, *_: Any) -> Any:
        names = ", ".join(map(str, self))
        raise InputError(
            f"a tuple ({names}{',' * (len(self) == 1)}) stands where a symbol belongs, as declarations always return a "
            f"tuple: did you forget the comma in  {names}{',' * (len(self) == 1)} = model.coordinates(...)  or  "
            "model.parameters(...)? model.coordinate(...), model.state(...), model.parameter(...) return one symbol."
        )

    __neg__ = __pos__ = __abs__ = __sub__ = __rsub__ = __truediv__ = __rtruediv__ = __pow__ = __rpow__ = _mistaken
    dot = ddot = property(_mistaken)

    def __add__(self, other: Any) -> Any:
        return tuple.__add__(self, other) if isinstance(other, tuple) else self._mistaken()

    def __mul__(self, other: Any) -> Any:
        return self._mistaken()

    __radd__ = __rmul__ = __mul__

    def __reduce__(self) -> Any:
        return Declared, (tuple(self),)


OF_NUMPY = frozenset("sin cos tan arcsin arccos arctan sinh cosh tanh sqrt exp log deg2rad radians rad2deg".split())


def _no_number(symbol: Any, name: str, *_: Any) -> Any:
    at = "" if name.startswith(("deg", "rad")) else f": take {name.replace('arc', 'a')} from SymPy"
    raise NoNumberError(f"{symbol} is a symbol and no number, as numpy.{name} wants one{at}.")


class _Named(sympy.Symbol):
    """A real symbol that is told apart from a plain `sympy.Symbol` of the same name by its class."""

    __slots__ = ()

    @answers
    def __new__(cls, name: str, **assumptions: Any) -> Any:
        if not isinstance(name, str) or not name:
            raise InputError(f"the name of a {cls.__name__} is {name!r}: expected a text, such as {cls.__name__}('x').")
        return super().__new__(cls, name, **{"real": True, **assumptions})

    def __float__(self, *_: Any) -> float:
        raise NoNumberError(
            f"{self} is a symbol and no number, as functions of math and of numpy want one: take them from SymPy, "
            "from sympy import sin, cos."
        )

    __int__ = __round__ = __float__  # type: ignore[assignment]

    def _eval_evalf(self, prec: int) -> Any:
        """Itself; of an expression with it that is asked for a float, as math.sin(2*q) does, SymPy says less."""
        frame: Any = sys._getframe(1)
        while frame is not None and frame.f_globals.get("__name__", "").startswith("sympy."):
            if frame.f_code.co_name == "__float__":
                float(self)
            frame = frame.f_back
        return super()._eval_evalf(prec)

    def __xor__(self, other: Any) -> Any:
        raise InputError(f"{self} ^ {other} is no power in Python: write {self}**{other}.")

    def __call__(self, *_: Any) -> Any:
        raise InputError(f"{self}(...) is called, and is a symbol: leave out the brackets.")

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            """What numpy asks for in numpy.sin(q); and rates, as they are called elsewhere."""
            if name in OF_NUMPY:
                return partial(_no_number, self, name)
            if name.startswith("_"):
                raise AttributeError(name)
            raise UnknownAttributeError(
                f"{self} has no '{name}': of a coordinate q the rates are q.dot, q.ddot. Of a state p it is p.dot; "
                "values are those of a run, run['q']."
            )

    def _along(self) -> Any:
        """Its derivative along the motion: its rate, or zero of what is constant."""
        return getattr(self, "dot", sympy.S.Zero)

    def _eval_derivative(self, s: Any) -> Any:
        return self._along() if isinstance(s, Time) else super()._eval_derivative(s)

    def _eval_derivative_n_times(self, s: Any, n: Any) -> Any:
        if not isinstance(s, Time) or not isinstance(n, int | sympy.Integer):
            return super()._eval_derivative_n_times(s, n)
        found: Any = self
        for _ in range(n):
            found = found._eval_derivative(s)
        return found

    def __str__(self) -> str:
        return str(self.name)  # what SymPy's printer gives, at once


class _Everywhere(set[Any]):
    """Free symbols of t alone. They are no reason for `Derivative` to take for constant whatever has no t in it.

    SymPy asks `if v.free_symbols` before it looks whether the variable v is in an expression; q moves without t in it.
    """

    __slots__ = ()

    def __bool__(self) -> bool:
        return False


class Time(_Named):
    """Time (s); there is only one, `t`, the same for all models.

    >>> from easydyn import t
    >>> isinstance(t, Time), t.name
    (True, 't')
    """

    __slots__, said = (), "time"

    @property
    def free_symbols(self) -> set[Any]:
        """Itself."""
        return _Everywhere((self,))

    def is_constant(self, *wrt: Any, **flags: Any) -> bool:
        """Whether it stays constant while symbols change: those of `wrt`, no unit, or all if none is given.

        `flags` are those of SymPy's method of this name, no unit.
        """
        return bool(wrt) and self not in wrt

    def _along(self) -> Any:
        return sympy.S.One


class Parameter(_Named):
    """A constant of the model; a change of its value needs no new derivation. `model.parameters` makes it.

    >>> Parameter("k").is_real
    True
    """

    __slots__, said = (), "parameter"
    constant = True  # during a run


class Reference(Parameter):
    """The held angle of an attitude, which is renewed at times; `model.free_body` and `model.spherical` make it.

    >>> Reference("hip.reference").constant
    True
    """

    __slots__ = ()


class Input(_Named):
    """An input u of the model, given from outside by a number, a table, a function of time or a controller.

    >>> from easydyn import Model
    >>> isinstance(Model("motor").input("u", 0, unit="V"), Input)
    True
    """

    __slots__, said = (), "input"

    def _along(self) -> Any:
        raise InputError(
            f"{self} is differentiated with respect to time: the rate of an input is not known. Make it a first-order "
            "state, model.states(...), whose equation says how it follows the input."
        )


class Flag(_Named):
    """A flag of a force element, on (1) or off (0), which changes only at events; contacts make their own.

    >>> Flag("closed").is_real
    True
    """

    __slots__, said = (), "flag of a force element"


class LockingForce(_Named):
    """The generalised force that holds a coordinate while it is locked, else zero: `model.locking_force(q)`.

    >>> LockingForce(Coordinate("q1"))
    q1.locking_force
    """

    __slots__, said = (), "force of a lock"

    suffix = ".locking_force"

    def _along(self) -> Any:
        raise InputError(f"{self} is differentiated with respect to time: the rate of a locking force is not known.")

    @answers
    def __new__(cls, of: Any, **assumptions: Any) -> Any:
        return super().__new__(cls, f"{str(of).removesuffix(cls.suffix)}{cls.suffix}", **assumptions)

    @property
    def coordinate(self) -> Coordinate:
        """The coordinate that it holds."""
        return Coordinate(self.name.rsplit(".", 1)[0])


class HoldingForce(LockingForce):
    """The generalised force that completes the equation of a held coordinate: while it sticks, its friction.

    >>> HoldingForce(Coordinate("q1"))
    q1.holding_force
    """

    __slots__ = ()
    suffix = ".holding_force"


class Measure(LockingForce):
    """What an element measures, such as the tension of a rope: the engine asks the element when a run knows it.

    >>> Measure("hoist.length")
    hoist.length
    """

    __slots__, said = (), "measure of an element, for outputs and events"
    suffix = ""


class _Derivative(_Named):
    __slots__ = ()
    accent = ""

    def _latex(self, printer: Any) -> str:
        base = printer.doprint(sympy.Symbol(self.name.rsplit(".", 1)[0]))
        name, _, rest = base.partition("_")
        return f"\\{self.accent}{{{name}}}" + (f"_{rest}" if rest else "")


class Acceleration(_Derivative):
    """Second time derivative of a coordinate.

    >>> Coordinate("q1").ddot
    q1.ddot
    """

    __slots__, said = (), "acceleration"
    accent = "ddot"

    def _along(self) -> Any:
        raise InputError(f"{self} is differentiated with respect to time: a model knows rates up to q.ddot only.")


class Rate(_Derivative):
    """First time derivative of a coordinate.

    >>> Coordinate("q1").dot
    q1.dot
    """

    __slots__, said = (), "rate of a coordinate"
    accent = "dot"

    @property
    def dot(self) -> Acceleration:
        """The second derivative of the coordinate."""
        return Acceleration(self.name.rsplit(".", 1)[0] + ".ddot")


class StateRate(_Derivative):
    """Time derivative of a first-order state: the unknown of its equation.

    >>> State("p1").dot
    p1.dot
    """

    __slots__, said = (), "rate of a state"
    accent = "dot"

    def _along(self) -> Any:
        raise InputError(f"{self} is differentiated with respect to time: a model knows of a state its rate only.")


class Coordinate(_Named):
    """Generalised coordinate q, with its rate `q.dot` and its second derivative `q.ddot`.

    Example
    -------
    >>> Coordinate("q1").dot.dot == Coordinate("q1").ddot
    True
    """

    __slots__, said = (), "coordinate"

    @property
    def dot(self) -> Rate:
        """Generalised velocity."""
        return Rate(self.name + ".dot")

    @property
    def ddot(self) -> Acceleration:
        """Generalised acceleration."""
        return Acceleration(self.name + ".ddot")


class State(_Named):
    """First-order state p (a pressure, a current, a filter's output), with its derivative `p.dot`.

    >>> State("p1").dot == StateRate("p1.dot")
    True
    """

    __slots__, said = (), "state"

    @property
    def dot(self) -> StateRate:
        """Time derivative of the state."""
        return StateRate(self.name + ".dot")


class Multiplier(State):
    """The impulse of a constraint's load so far; its rate is the Lagrange multiplier. Constraints make it.

    >>> isinstance(Multiplier("pin:Fx"), State)
    True
    """

    __slots__ = ()


class Unknown(State):
    """An unknown that equations without its rate determine at every instant; `model.unknown` or `model.node` makes it.

    >>> from easydyn import Model
    >>> s = Model("spring").unknown("s", initial=0.2)
    >>> isinstance(s, Unknown), s.dot
    (True, s.dot)
    """

    __slots__, said = (), "unknown"


MOTION = Coordinate, Rate, Acceleration, State, StateRate
WRITTEN = *MOTION, Parameter, Input, Time  # what equations may depend on
LAW = *WRITTEN, Flag, Multiplier  # laws of elements
MEASURED = *WRITTEN, Flag, LockingForce  # outputs, events
t = Time("t")
_CLOCK = sympy.Dummy("t", real=True)
_STEPS = sympy.floor, sympy.ceiling, sympy.sign, sympy.Heaviside


def partial_derivative(expression: Any, symbol: Any) -> Any:
    """Derivative of an `expression` by a `symbol`, also by t, with all others held: its unit per that of the symbol.

    Signs and steps have the derivative zero, as in the engine.

    >>> q = Coordinate("q")
    >>> sympy.diff(q * t**2, t), partial_derivative(q * t**2, t)
    (2*q*t + q.dot*t**2, 2*q*t)
    """
    if not (isinstance(expression, sympy.Expr) and isinstance(symbol, sympy.Expr)):  # a text, SymPy would run
        from easydyn.vec.scalars import one_expression  # which knows of parameters

        expression = one_expression(expression, "the expression")
        symbol = one_expression(symbol, "the symbol")
    given = {t: _CLOCK} if symbol is t else {}
    if expression.has(*_STEPS):
        given |= {step: sympy.Dummy(real=True) for step in expression.atoms(*_STEPS)}
    return sympy.diff(expression.xreplace(given), given.get(symbol, symbol)).xreplace({b: a for a, b in given.items()})
