"""Records: the data of a kernel, by name, in Python's objects or in memory that machine code works on.

A record is declared as a class with annotated fields, of four types: `int`, `float`, `Array` (numbers, float) and
`Function` (called with arrays only, returns nothing). A fifth, `Hooks`, is no data: an object whose attributes are
kernels and numbers, called and read as `record.field.name(...)`; they are known when machine code is made, and are put
in their places. A kernel gets one record and is the same text for both kinds:

- interpreted: an instance of the class itself, with lists of floats for arrays: they are the fastest to index;
- compiled: a `Memory` with the same attributes; every field takes 8 bytes, arrays are NumPy's.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = list[float]
Function = Callable[..., None]
Hooks = Any

INTERPRETED = True  # in a kernel, `if INTERPRETED:` is for Python alone: the compiler leaves it out

KINDS = {"int": "int", "float": "float", "Array": "array", "Function": "function", "Hooks": "hooks"}


class Record:
    """Base of the records that kernels work on."""

    @classmethod
    @functools.cache
    def fields(cls) -> dict[str, str]:
        """Kind of every field that is data, in their order: "int", "float", "array" or "function"."""
        return {name: kind for name, kind in cls._declared().items() if kind != "hooks"}

    @classmethod
    @functools.cache
    def hooks(cls) -> list[str]:
        """The fields that are no data."""
        return [name for name, kind in cls._declared().items() if kind == "hooks"]

    @classmethod
    def _declared(cls) -> dict[str, str]:
        found: dict[str, str] = {}
        for base in reversed(cls.__mro__):
            found |= {name: KINDS[kind] for name, kind in base.__dict__.get("__annotations__", {}).items()}
        return found

    @staticmethod
    def array(values: Any) -> Any:
        """Numbers as an array of this kind of record."""
        return np.asarray(values, dtype=float).ravel().tolist()

    def __init__(self) -> None:
        empty = {"int": 0, "float": 0.0, "array": None, "function": None}
        for name, kind in self.fields().items():
            setattr(self, name, empty[kind])

    def allocate(self, sizes: Mapping[str, int]) -> None:
        """Give arrays of zeros to the fields of these names."""
        for name, size in sizes.items():
            setattr(self, name, [0.0] * size)


_IN_MEMORY = {"int": ctypes.c_int64, "float": ctypes.c_double, "array": ctypes.c_void_p, "function": ctypes.c_void_p}


@dataclass(frozen=True)
class _Plan:
    """Where arrays stand in one piece of memory: as slices, by name; their fields, and their offsets (bytes)."""

    places: dict[str, slice]
    slots: np.ndarray
    offsets: np.ndarray
    size: int


@functools.lru_cache(maxsize=256)
def _plan(memory: Any, names: tuple[str, ...], sizes: tuple[int, ...]) -> _Plan:
    ends = np.cumsum(sizes)
    starts = ends - sizes
    places = {name: slice(start, end) for name, start, end in zip(names, starts.tolist(), ends.tolist())}
    return _Plan(places, np.array([memory._slots[name] for name in names]), 8 * starts, int(ends[-1]))


class Memory(ctypes.Structure):
    """The fields of a record as machine code sees them: 8 bytes each, at `address`; `Memory.of(kind)()` makes one.

    Numbers are fields of the structure, as quick as attributes. Of arrays and functions the addresses stand there; the
    arrays themselves, NumPy's, are kept alive here.
    """

    @staticmethod
    @functools.cache
    def of(kind: type[Record]) -> Any:
        """The class of memory for a class of records."""
        kinds = kind.fields()
        places = {name: f"address_of_{name}" if sort in ("array", "function") else name for name, sort in kinds.items()}
        made: dict[str, Any] = {"_fields_": [(places[name], _IN_MEMORY[sort]) for name, sort in kinds.items()]}
        made |= {name: _held(name) for name, place in places.items() if place != name}
        return type(f"{kind.__name__}Memory", (Memory,), made | {"_slots": {x: k for k, x in enumerate(kinds)}})

    def __init__(self) -> None:
        super().__init__()
        self.address = ctypes.addressof(self)
        self._kept: dict[str, Any] = {}  # arrays and functions by name
        self._pieces: dict[tuple[str, ...], tuple[np.ndarray, _Plan]] = {}  # of memory, each for several arrays

    @staticmethod
    def array(values: Any) -> Any:
        """Numbers as an array of this kind of record."""
        return np.array(values, dtype=float).ravel()

    def allocate(self, sizes: Mapping[str, int]) -> None:
        """Give arrays of zeros to the fields of these names, out of one piece of memory."""
        names = tuple(sizes)
        plan = _plan(type(self), names, tuple(sizes.values()))
        piece = np.zeros(plan.size)
        np.frombuffer(self, dtype=np.int64)[plan.slots] = plan.offsets + _address(piece)  # type: ignore[call-overload]
        for name in names:
            self._kept.pop(name, None)
        self._pieces[names] = piece, plan

    def copy(self) -> Any:
        """Another one of the same content; arrays that were given, not allocated, are shared."""
        twin = type(self)()
        ctypes.memmove(twin.address, self.address, ctypes.sizeof(self))
        addresses = np.frombuffer(twin, dtype=np.int64)  # type: ignore[call-overload]
        given = self._kept
        for names, (piece, plan) in self._pieces.items():
            copied = piece.copy()
            addresses[plan.slots] += _address(copied) - _address(piece)
            twin._pieces[names] = copied, plan
            given = {name: x for name, x in given.items() if name not in plan.places}
        twin._kept = given.copy()
        return twin

    def content(self) -> Any:
        """The content of this record, to which `return_to` leads; arrays that were given, not allocated, are left."""
        pieces = [(piece, piece.copy()) for piece, _ in self._pieces.values()]
        return ctypes.string_at(self.address, ctypes.sizeof(self)), pieces

    def return_to(self, content: Any) -> None:
        """Have a `content` again that it had, where no array was given or allocated since."""
        ctypes.memmove(self.address, content[0], ctypes.sizeof(self))
        for piece, numbers in content[1]:
            piece[:] = numbers

    def _view(self, name: str) -> Any:
        """The array of a field, out of its piece of memory; None where there is none."""
        for piece, plan in self._pieces.values():
            if name in plan.places:
                self._kept[name] = piece[plan.places[name]]
                return self._kept[name]
        return None


def _held(name: str) -> property:
    """A field whose address stands in the memory: an array or a function."""

    def get(self: Memory) -> Any:
        found = self._kept.get(name)
        return self._view(name) if found is None else found

    def put(self: Memory, value: Any) -> None:
        if isinstance(value, np.ndarray):
            assert value.dtype == float and value.flags.c_contiguous
            address = _address(value)
        else:
            address = value.address
        self._kept[name] = value  # kept alive as long as its address is known to machine code
        setattr(self, f"address_of_{name}", address)

    return property(get, put)


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]  # type: ignore[no-any-return]


def copy_into(array: Any, values: Sequence[float] | np.ndarray) -> None:
    """Put numbers into an array of a record, in place."""
    array[:] = values if isinstance(array, np.ndarray) else np.asarray(values, dtype=float).tolist()
