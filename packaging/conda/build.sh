#!/usr/bin/env bash
set -euo pipefail
cmake -S . -B build-conda -G Ninja $CMAKE_ARGS -DCMAKE_BUILD_TYPE=Release -DWHORL_WITH_CUDA=OFF -DWHORL_WITH_MPI=OFF \
  -DWHORL_BUILD_TESTS=OFF -DWHORL_BUILD_EXAMPLES=OFF
cmake --build build-conda
cmake --install build-conda
