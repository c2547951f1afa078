// The arrays of files that are to become a scan, joined where they are parts of one.
#pragma once

#include <filesystem>
#include <vector>

#include "io/convert/array_inputs.hpp"

namespace whorl::io {

/// All arrays, joined where they are the elements of one or the parts of complex numbers, unless `options` name them apart. Arrays
/// of one name in several files are elements too. Throws as read_arrays.
ArrayInputs read_inputs(const Context& ctx, const std::vector<std::filesystem::path>& paths,
                        const ConvertOptions& options = {});

/// Joins arrays of one axis each (kx, ky, kz), by the options or by their usual names, into a trajectory, and tells the
/// data from the trajectory of two arrays of BART. What was found is stated in the result.
ConvertOptions join_inputs(const Context& ctx, ConvertOptions options, ArrayInputs& inputs);

}  // namespace whorl::io
