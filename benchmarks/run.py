"""Run the benchmarks, all or those that are named, one process after the other.

python benchmarks/run.py                      every benchmark, with all peers that are installed
python benchmarks/run.py evaluation runs      these two
python benchmarks/run.py --quick              small cases without peers: do the scripts work?
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NAMES = ("derivation", "evaluation", "runs", "c_loop", "growth", "cold_start", "interpreted", "controller",
         "loops", "friction", "studies", "accelerators", "player", "flexible", "convergence")  # fmt: skip


def main() -> int:
    """Run them; 1 if one failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help=", ".join(NAMES))
    parser.add_argument("--quick", action="store_true", help="small cases without peers; nothing is saved")
    parser.add_argument("--target", default="auto", help='what evaluates easydyn\'s programs ("auto")')
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in NAMES]
    if unknown:
        parser.error(f"there is no benchmark {', '.join(unknown)}: there are {', '.join(NAMES)}")
    failed = []
    for name in options.names or NAMES:
        print(f"\n=== {name}", flush=True)
        words = [sys.executable, str(HERE / f"{name}.py"), "--target", options.target]
        if subprocess.run([*words, *(["--quick"] if options.quick else [])]).returncode:
            failed.append(name)
    if failed:
        print(f"\nfailed: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
