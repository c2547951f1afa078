// The lengths with kernels of their own, and the numbers of threads that share a line. Measured on an H200.
#pragma once

#include <array>
#include <type_traits>

namespace whorl::backend::cuda::tuning {

/// A length whose kernels know its radices at compile time, in the order of the stages; the numbers of threads that
/// share a line in wide and in narrow blocks (0: narrow blocks use the kernel for any length, which has radices up to
/// 10); and the number of threads at a time on a multiprocessor, which limits their registers.
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

/// Powers of two, the usual sizes of images and of their twofold grids, and 1.25 and 1.5 times these, the usual sizes
/// of oversampled grids. Double precision, which is for references, has none.
template <class Real>
using fixed_lines = std::conditional_t<
    std::is_same_v<Real, float>,
    FixedLines<FixedLine<20, 0, 1024, 8, 5, 4>, FixedLine<24, 0, 1024, 8, 8, 3>, FixedLine<16, 16, 512, 16, 16>,
               FixedLine<40, 0, 1024, 8, 8, 5>, FixedLine<48, 0, 1024, 8, 8, 6>, FixedLine<32, 64, 768, 8, 8, 8>,
               FixedLine<64, 0, 768, 8, 8, 4, 4>>,
    FixedLines<>>;

/// For other lengths: threads of a block and blocks of a multiprocessor. With more threads registers are too few; with
/// fewer threads memory is idle.
inline constexpr int dynamic_block_threads = 256;
inline constexpr int dynamic_blocks_at_once = 3;

/// Packets of columns in a block, if there are many columns.
constexpr int wide(int length) { return length <= 600 ? 8 : length <= 1400 ? 4 : 2; }
inline constexpr int narrow = 2;

/// A convolution processes coils together if their rows and planes are no larger than this. More would not use the GPU
/// any better, and this much mostly stays in its second-level cache.
inline constexpr long convolution_batch_bytes = 64L << 20;
/// The largest fraction of the memory that they may take.
inline constexpr double convolution_part_of_memory = 1.0 / 8;

}  // namespace whorl::backend::cuda::tuning
