"""Records: the data of a kernel, by name, in Python's objects or in memory that machine code works on.

A record is declared as a class with annotated fields, of four types: `int`, `float`, `Array` (numbers, float) and
`Function` (called with arrays only, returns nothing). A kernel gets one record and is the same text for both kinds:

- interpreted: an instance of the class itself, with lists of floats for arrays: they are the fastest to index;
- compiled: a `Memory` with the same attributes; every field takes 8 bytes, arrays are NumPy's.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

Array = list[float]
Function = Callable[..., None]

INTERPRETED = True  # in a kernel, `if INTERPRETED:` is for Python alone: the compiler leaves it out

KINDS = {"int": "int", "float": "float", "Array": "array", "Function": "function"}


class Record:
    """Base of the records that kernels work on."""

    @classmethod
    def fields(cls) -> dict[str, str]:
        """Kind of every field, in their order: "int", "float", "array" or "function"."""
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


@functools.cache
def _layout(kind: Any) -> dict[str, tuple[int, str]]:
    return {name: (index, sort) for index, (name, sort) in enumerate(kind.fields().items())}


@functools.cache
def _plan(kind: Any, names: tuple[str, ...], sizes: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray, int]:
    """Places of these fields in the record, offsets of their arrays in one piece of memory (bytes), and its size."""
    places = np.array([_layout(kind)[name][0] for name in names])
    ends = np.cumsum(sizes)
    return places, 8 * (ends - np.array(sizes)), int(ends[-1])


class Memory:
    """The fields of a record class as machine code sees them: 8 bytes each, at `address`."""

    def __init__(self, kind: type[Record]):
        layout = _layout(kind)  # type: ignore[arg-type]
        slots = np.zeros(len(layout), dtype=np.int64)
        self.__dict__.update(
            _kind=kind,
            _slots=layout,
            _whole=slots,
            _broken=slots.view(float),
            _held={},
            address=slots.ctypes.data,
        )

    @staticmethod
    def array(values: Any) -> Any:
        """Numbers as an array of this kind of record."""
        return np.array(values, dtype=float).ravel()

    def allocate(self, sizes: Mapping[str, int]) -> None:
        """Give arrays of zeros to the fields of these names, out of one piece of memory."""
        places, offsets, total = _plan(self._kind, tuple(sizes), tuple(sizes.values()))
        arena = np.zeros(total)
        self._whole[places] = offsets
        self._whole[places] += arena.ctypes.data
        at = 0
        for name, size in sizes.items():
            self._held[name] = arena[at : at + size]
            at += size

    def __getattr__(self, name: str) -> Any:
        try:
            index, kind = self._slots[name]
        except KeyError:
            raise AttributeError(name) from None
        if kind == "int":
            return int(self._whole[index])
        return float(self._broken[index]) if kind == "float" else self._held.get(name)

    def __setattr__(self, name: str, value: Any) -> None:
        index, kind = self._slots[name]
        if kind == "float":
            self._broken[index] = value
        elif kind == "int":
            self._whole[index] = value
        elif kind == "array":
            assert value.dtype == float and value.flags.c_contiguous
            self._held[name] = value  # kept alive as long as its address is known to machine code
            self._whole[index] = value.ctypes.data
        else:
            self._held[name] = value
            self._whole[index] = value.address


def copy_into(array: Any, values: Sequence[float] | np.ndarray) -> None:
    """Put numbers into an array of a record, in place."""
    array[:] = values if isinstance(array, np.ndarray) else np.asarray(values, dtype=float).tolist()
