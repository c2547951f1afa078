#include "io/convert/labeled_array.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "whorl/core/error.hpp"

namespace whorl::io {

LabeledArray::LabeledArray(std::string source, const std::vector<Index>& extents, const std::vector<std::string>& axes,
                           Array<std::complex<double>> values)
    : source_(std::move(source)), values_(std::move(values)) {
  Index stride = 1;
  for (std::size_t i = 0; i < std::max(extents.size(), axes.size()); ++i) {
    const Index extent = i < extents.size() ? extents[i] : 1;
    if (i >= axes.size() && extent != 1) {
      throw ValueError(fmt::format("{}: it has extents {}, but {} axes were named: {}", source_,
                                   fmt::join(extents, " x "), axes.size(), fmt::join(axes, ",")));
    }
    if (i < axes.size() && !axes_.emplace(axes[i], Axis{extent, extent > 1 ? stride : 0}).second) {
      throw ValueError(fmt::format("{}: axis {} is named twice: {}", source_, axes[i], fmt::join(axes, ",")));
    }
    stride *= extent;
  }
}

Index LabeledArray::extent(const std::string& axis) const { return has(axis) ? axes_.at(axis).extent : 1; }

Index LabeledArray::stride(const std::string& axis) const { return has(axis) ? axes_.at(axis).stride : 0; }

}  // namespace whorl::io
