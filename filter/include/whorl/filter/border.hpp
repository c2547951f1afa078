// What neighbors see beyond the edge of an image.
#pragma once

#include "whorl/core/view.hpp"

namespace WHORL_PUBLIC whorl {

/// For a row a b c d:
enum class Border {
  reflect,    ///< d c b | a b c d | c b a: the pixel at the edge comes once (numpy reflect, OpenCV BORDER_REFLECT_101)
  replicate,  ///< a a a | a b c d | d d d
  wrap,       ///< b c d | a b c d | a b c: a torus
  constant,   ///< v v v | a b c d | v v v
};

/// The index that is read for pixel `i` of a row of `n` pixels; -1 stands for the constant value. Takes any i, however
/// far outside.
constexpr Index border_index(Border border, Index i, Index n) {
  if (i >= 0 && i < n) return i;
  switch (border) {
    case Border::reflect: {
      if (n == 1) return 0;
      const Index period = 2 * (n - 1);
      const Index within = (i % period + period) % period;
      return within < n ? within : period - within;
    }
    case Border::replicate:
      return i < 0 ? 0 : n - 1;
    case Border::wrap:
      return (i % n + n) % n;
    default:
      return -1;
  }
}

/// The border of a filter and its value. Options of filters with a border derive from this.
struct BorderOptions {
  Border border = Border::reflect;
  double border_value = 0;  ///< of `constant`, for every channel, in the image's numbers (clipped to its type)
};

}  // namespace whorl
