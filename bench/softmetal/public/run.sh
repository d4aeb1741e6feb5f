#!/bin/sh
# Kernels of public libraries (candle, ggml, MLX), fetched by cargo and pip into target/public, run on
# softmetal and held against NumPy. Names pick cases: run.sh ggml attention
set -e
cd "$(dirname "$0")/../../.."
cargo build --quiet --release -p softmetal
[ -x target/public/venv/bin/python ] || python3 -m venv target/public/venv
target/public/venv/bin/python -c "import numpy" 2>/dev/null || target/public/venv/bin/pip -q install numpy
exec target/public/venv/bin/python bench/softmetal/public/run.py "$@"
