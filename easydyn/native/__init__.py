"""Machine code: what turns text into functions that the processor runs, and knows neither models nor methods.

record.py -> the records and the few types that kernels use; language.py, expressions.py, compiler.py -> kernels, plain
loops in Python, as LLVM's intermediate representation; abreast.py -> straight-line code as the same, on numbers side by
side; machine.py -> that representation as machine code, in memory; cache.py -> machine code on disk. Nothing here is
imported before it is needed, and everything works without it, slower: a kernel is Python, and is interpreted where LLVM
(the package llvmlite) is absent.
"""
