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
  static bool visit([[maybe_unused]] long length, [[maybe_unused]] const Function& f) {
    return ((Lines::length == length && (f(Lines{}), true)) || ...);
  }
};

/// Powers of two, which images and their twofold grids mostly are. In double precision arithmetic bounds nothing here.
template <class Real>
using fixed_lines =
    std::conditional_t<std::is_same_v<Real, float>,
                       FixedLines<FixedLine<32, 8, 8, 4>, FixedLine<64, 8, 8, 8>, FixedLine<64, 8, 8, 4, 4>>,
                       FixedLines<>>;

/// Threads of such kernels that a multiprocessor has registers for, at 64 each: radix 8 with two columns takes as many.
inline constexpr int static_threads_at_once = 1024;

/// Other lengths: threads of a block and blocks of a multiprocessor. More threads have too few registers, fewer leave
/// its memory idle.
inline constexpr int dynamic_block_threads = 256;
inline constexpr int dynamic_blocks_at_once = 3;

/// Packets of columns of a block, where there are many.
constexpr int wide(int length) { return length <= 600 ? 8 : length <= 1400 ? 4 : 2; }
inline constexpr int narrow = 2;

/// A convolution takes coils together as long as their rows and planes are no larger than this: more fill the GPU no
/// better, and these stay in its second-level cache for the most part.
inline constexpr long convolution_batch_bytes = 64L << 20;

}  // namespace whorl::backend::cuda::tuning
