// Which lengths have kernels of their own, and how many threads share a line. As measured on an H200.
#pragma once

#include <array>
#include <span>
#include <type_traits>

namespace whorl::backend::cuda::tuning {

/// Radices of a length whose kernel knows them at compile time, in the order of the stages.
template <int threads_, int... radices_>
struct FixedLine {
  static constexpr int threads = threads_;
  static constexpr std::array radices = {radices_...};
  static constexpr int length = (1 * ... * radices_);
};

template <class... Lines>
struct FixedLines {
  /// Calls f(Line{}) for the line of this length; false where there is none.
  template <class Function>
  static bool visit(long length, const Function& f) {
    return ((Lines::length == length && (f(Lines{}), true)) || ...);
  }
};

/// Powers of two, which images and their twofold grids mostly are. In double precision arithmetic bounds nothing here.
template <class Real>
using fixed_lines = std::conditional_t<std::is_same_v<Real, float>,
                                       FixedLines<FixedLine<16, 16, 8>, FixedLine<16, 16, 16>, FixedLine<64, 8, 8, 8>,
                                                  FixedLine<64, 16, 8, 8>>,
                                       FixedLines<>>;

}  // namespace whorl::backend::cuda::tuning
