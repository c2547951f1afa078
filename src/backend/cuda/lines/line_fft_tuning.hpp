// Which lengths have kernels of their own, and how many threads share a line. As measured on an H200.
#pragma once

#include <array>
#include <type_traits>

namespace whorl::backend::cuda::tuning {

/// A length whose kernels know its radices, in the order of the stages, at compile time: how many threads share a line
/// in wide blocks and in narrow ones (0: narrow blocks take the kernel for any length, which has radices up to 10), and
/// the threads at a time on a multiprocessor, which limits their registers.
template <int wide_threads_, int narrow_threads_, int threads_at_once_, int... radices_>
struct FixedLine {
  static constexpr int wide_threads = wide_threads_;
  static constexpr int narrow_threads = narrow_threads_;
  static constexpr int threads_at_once = threads_at_once_;
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

/// The powers of two that images and their twofold grids mostly are, and a quarter and a half more than them, to which
/// grids are oversampled. Double precision, which is for references, has none.
template <class Real>
using fixed_lines = std::conditional_t<
    std::is_same_v<Real, float>,
    FixedLines<FixedLine<20, 0, 1024, 8, 5, 4>, FixedLine<24, 0, 1024, 8, 8, 3>, FixedLine<16, 16, 512, 16, 16>,
               FixedLine<40, 0, 1024, 8, 8, 5>, FixedLine<48, 0, 1024, 8, 8, 6>, FixedLine<32, 64, 768, 8, 8, 8>,
               FixedLine<64, 0, 768, 8, 8, 4, 4>>,
    FixedLines<>>;

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
