#!/bin/sh
# How many files and kernels of public packages compile; writes the table of bench/softmetal/README.md.
set -e
cd "$(dirname "$0")/../../.."
cargo build --quiet --release -p softmetal
[ -x target/public/venv/bin/python ] || python3 -m venv target/public/venv
target/public/venv/bin/python -c "import numpy" 2>/dev/null || target/public/venv/bin/pip -q install numpy
exec target/public/venv/bin/python bench/softmetal/public/survey.py "$@"
