#!/bin/sh
# The figures of softmetal: speed of plain and of meeting kernels, checked mode, warm loading.
cd "$(dirname "$0")/../.." && exec cargo run --quiet --release -p softmetal --example bench -- "$@"
