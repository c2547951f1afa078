// Tables of the one-dimensional transform that the padded FFT applies to many lines at once, one line per SIMD lane.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "whorl/core/shape.hpp"

namespace whorl::backend::cpu {

/// A transform of n = product of radices 2, 3, 4, 5 and 8 points by decimation in frequency (Gentleman and Sande, Proc.
/// AFIPS 29 (1966) 563). Stage s splits blocks of `size` points into `radix` blocks of size/radix; it runs in place and
/// leaves X[order[i]] at place i. The inverse runs the stages backwards, from that order to the natural one. So no pass
/// is spent on sorting; lines that are copied anyway are copied to their place.
template <class Real>
struct LineFft {
  struct Stage {
    int radix;
    Index size;
    std::vector<Real> twiddle;  ///< [size/radix][radix - 1][2]: exp(-2 pi i p q / size), q = 1 .. radix-1
  };

  /// Throws ValueError when n has a prime factor above 5.
  explicit LineFft(Index n);

  Index length;
  std::vector<Stage> stages;
  std::vector<std::int32_t> order;  ///< place -> frequency
  std::vector<std::int32_t> place;  ///< frequency -> place
};

/// Whether LineFft takes this length.
bool is_line_fft_length(Index n);

}  // namespace whorl::backend::cpu
