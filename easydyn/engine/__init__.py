"""The fast engine: a graph of scalar operations, straight-line programs made from it, and their evaluation.

graph.py -> the nodes; sympy_bridge.py -> SymPy in; derivatives.py -> forward and reverse; derivation.py -> the
schemes, which make the outputs; program.py -> straight-line code; targets.py -> Python and NumPy; system.py ->
CompiledSystem. The textbook modules (vec, kinematics, mbs) are used here and know nothing of it.
"""
