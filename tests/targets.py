"""What a model can be compiled to, and by which schemes, where the tests run."""

import pytest

from easydyn.native.machine import available

SCHEMES = ("recursive", "explicit", "motor")
TARGETS = ("python", "numpy", "native") if available() else ("python", "numpy")
FASTEST = TARGETS[-1]
needs_llvmlite = pytest.mark.skipif(not available(), reason="llvmlite is not installed, or does not work here")
LOOPS = ("native", "python") if available() else ("python",)  # a time loop in machine code, and interpreted
