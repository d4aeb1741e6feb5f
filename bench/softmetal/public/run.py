"""Public shader libraries on softmetal: `run.py [name ...]` runs the cases whose names contain one."""

import sys
import time
import traceback

import harness
import candle  # noqa: F401  (each registers its cases)
import ggml  # noqa: F401
import mlx  # noqa: F401
import libraries  # noqa: F401

failed = 0
for case in harness.CASES:
    name = f"{case.__module__}.{case.__name__}"
    if sys.argv[1:] and not any(a in name for a in sys.argv[1:]):
        continue
    start = time.time()
    try:
        case()
        print(f"ok    {name} ({time.time() - start:.1f} s)", flush=True)
    except Exception as e:
        failed += 1
        print(f"FAIL  {name}: {e}", flush=True)
        if not isinstance(e, AssertionError):
            traceback.print_exc()
sys.exit(failed > 0)
