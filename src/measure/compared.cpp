#include "measure/compared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "whorl/core/error.hpp"
#include "whorl/math/value_range.hpp"

namespace whorl::measure {

namespace {

bool is_end_of(const Shape& end, const Shape& whole) {
  return end.rank() <= whole.rank() && std::equal(end.begin(), end.end(), whole.end() - end.rank());
}

// "[2, 0, 17]", the position of element `i`.
std::string position(const Shape& shape, Index i) {
  std::string text;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    text = fmt::format("{}{}{}", i % shape[axis], text.empty() ? "" : ", ", text);
    i /= shape[axis];
  }
  return "[" + text + "]";
}

bool is_finite(double value) { return std::isfinite(value); }
bool is_finite(std::complex<double> value) { return std::isfinite(value.real()) && std::isfinite(value.imag()); }

double largest_part(double value) { return std::abs(value); }
double largest_part(std::complex<double> value) { return std::max(std::abs(value.real()), std::abs(value.imag())); }

}  // namespace

void check_shapes(const char* operation, const Shape& image, const Shape& truth, MeasuredSet set) {
  if (image != truth) {
    throw ShapeError(fmt::format("{}: the image has shape {}, the truth {}; expected equal shapes", operation,
                                 to_string(image), to_string(truth)));
  }
  if (image.size() == 0) throw ShapeError(fmt::format("{}: images of {} have no pixels", operation, to_string(image)));
  if (set.size() == 0) return;
  if (!is_end_of(set.shape(), image)) {
    throw ShapeError(
        fmt::format("{}: the mask has shape {}, the images {}; expected the same shape or that of the last "
                    "axes",
                    operation, to_string(set.shape()), to_string(image)));
  }
  const auto mask = set.span();
  if (std::none_of(mask.begin(), mask.end(), [](bool counts) { return counts; })) {
    throw ValueError(fmt::format("{}: the mask is empty; expected at least one pixel that is not 0", operation));
  }
}

template <class T>
void check_finite(const char* operation, const char* which, ArrayRef<const T> image) {
  const auto pixels = image.span();
  const auto bad = std::find_if_not(pixels.begin(), pixels.end(), [](T value) { return is_finite(widened(value)); });
  if (bad != pixels.end()) {
    throw ValueError(fmt::format("{}: pixel {} of the {} is not finite; every pixel must be", operation,
                                 position(image.shape(), bad - pixels.begin()), which));
  }
  double largest = 0;
  for (const T value : pixels) largest = std::max(largest, largest_part(widened(value)));
  check_powers<double>(fmt::format("{}: the {}", operation, which), largest);
}

#define WHORL_INSTANTIATE(T) template void check_finite<T>(const char*, const char*, ArrayRef<const T>)
WHORL_FOR_EACH_PIXEL_TYPE(WHORL_INSTANTIATE);
#undef WHORL_INSTANTIATE

}  // namespace whorl::measure
