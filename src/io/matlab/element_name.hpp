// The number of an element of a cell or structure array, as MATLAB says it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

#include "whorl/core/view.hpp"

namespace whorl::io {

/// "3" of a row or column; "2,3" of a matrix, whose extents MATLAB's size() says. `number` counts from 0 in MATLAB's order.
inline std::string element_subscripts(std::span<const Index> extents, Index number) {
  const auto many = std::count_if(extents.begin(), extents.end(), [](Index extent) { return extent != 1; });
  if (many < 2) return fmt::format("{}", number + 1);
  std::string text;
  for (const Index extent : extents) {
    text += fmt::format("{}{}", text.empty() ? "" : ",", number % extent + 1);
    number /= extent;
  }
  return text;
}

}  // namespace whorl::io
