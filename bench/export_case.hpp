// The data of a case as files, so that another program can be run and measured on the same.
#pragma once

#include <filesystem>

#include "bench/case_runner.hpp"

namespace whorl::bench {

/// Writes the current case's data below `folder`, as .npy:
///
///   PROBLEM/trajectory.npy                  [sample, dim], cycles per pixel, double
///   PROBLEM/COILS/DIRECTION/input.npy       [coil, (z,) y, x], or [coil, sample] of the adjoint, complex float
///   PROBLEM/COILS/DIRECTION/places.npy      [place], indices into one coil's result in C order, double
///   PROBLEM/COILS/DIRECTION/exact.npy       [coil, place], what the result is there, complex double
///
/// The files are the same for all tolerances. Throws IoError.
void export_case(const Context& ctx, const CaseRunner& runner, const std::filesystem::path& folder);

}  // namespace whorl::bench
