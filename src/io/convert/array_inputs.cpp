#include "io/convert/array_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace whorl::io {

LabeledArray load(const Context& ctx, const ArrayInputs& inputs, const ArrayInfo& info,
                  const std::vector<std::string>& axes, const std::string& file) {
  const auto found = std::find_if(inputs.arrays.begin(), inputs.arrays.end(),
                                  [&](const NamedArray& array) { return array.name == info.name; });
  const std::string source = fmt::format("{}: {}", file, info.name);
  check_finite(found->values, source);
  return {source, info.extents, axes, converted<std::complex<double>>(ctx, found->values, source)};
}

}  // namespace whorl::io
