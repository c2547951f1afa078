#include "recon/regularizers/difference_axes.hpp"

#include <fmt/format.h>

#include "whorl/core/error.hpp"

namespace whorl::recon {

namespace {

DifferenceAxes named_axes(const Shape& series, const Regularizer& what, const std::string& names) {
  const auto named = [&](char axis) { return names.find(axis) != std::string::npos; };
  const DifferenceAxes axes{named('t'), named('z'), named('y'), named('x')};
  if (axes.z && series[1] == 1) {
    throw ValueError(fmt::format("regularizer '{}': differences along z of images in 2D; leave z out", to_text(what)));
  }
  return axes;
}

}  // namespace

DifferenceAxes axes_of(const Shape& series, const Regularizer& what) {
  return what.axes.empty() ? DifferenceAxes{false, series[1] > 1, true, true} : named_axes(series, what, what.axes);
}

DifferenceAxes cyclic_axes(const Shape& series, const Regularizer& what) {
  return named_axes(series, what, what.cyclic);
}

Index count_of_axes(const Regularizer& what, Index image_axes) {
  return what.axes.empty() ? image_axes : static_cast<Index>(what.axes.size());
}

bool has_frame_axis(const Regularizer& what) { return what.axes.find('t') != std::string::npos; }

double threshold_of_differences(const Regularizer& /*what*/, const Shape& /*series*/) { return 0.25; }

}  // namespace whorl::recon
