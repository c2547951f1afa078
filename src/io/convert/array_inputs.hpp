// The arrays of the files that are to become a scan.
#pragma once

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
  std::vector<std::string> faults;    ///< of arrays that can not be read
  std::vector<std::string> unjoined;  ///< why elements of cells or structures are not one array
};

/// The finite values of one of the arrays.
LabeledArray load(const Context& ctx, const ArrayInputs& inputs, const ArrayInfo& info,
                  const std::vector<std::string>& axes, const std::string& file);

}  // namespace whorl::io
