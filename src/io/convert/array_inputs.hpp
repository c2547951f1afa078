// The arrays of the files that are to become a scan.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/convert/array_axes.hpp"
#include "io/convert/labeled_array.hpp"
#include "whorl/io/array_files.hpp"

namespace whorl::io {

/// Arrays of all inputs, and their descriptions in the same order.
struct ArrayInputs {
  std::vector<NamedArray> arrays;
  std::vector<ArrayInfo> infos;
  std::vector<std::string> faults;  ///< of arrays that can not be read
};

/// Throws ValueError for a name that comes twice, and as read_arrays.
ArrayInputs read_inputs(const Context& ctx, const std::vector<std::filesystem::path>& paths);

/// Joins arrays of one axis each (kx, ky, kz), by the options or by their usual names, into a trajectory, and tells the
/// data from the trajectory of two arrays of BART. What was found is stated in the result.
ConvertOptions join_inputs(const Context& ctx, ConvertOptions options, ArrayInputs& inputs);

/// The finite values of one of the arrays.
LabeledArray load(const Context& ctx, const ArrayInputs& inputs, const ArrayInfo& info,
                  const std::vector<std::string>& axes, const std::string& file);

}  // namespace whorl::io
