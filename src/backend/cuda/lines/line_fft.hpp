// The one-dimensional transform that the CUDA FFT passes apply to many lines at once: its stages and their tables.
#pragma once

#include <complex>
#include <vector>

#include "whorl/core/shape.hpp"

namespace whorl::backend::cuda {

/// A transform of n = product of radices points by decimation in frequency (Gentleman and Sande, Proc. AFIPS 29 (1966)
/// 563), in place. Stage s splits blocks of radix * span points: butterfly b of n/radix takes the points
/// block * radix * span + p + k * span with block = b / span and p = b % span. The result is not in natural order:
/// passes over columns write each row to its place; for lines a table gives the place of each frequency.
struct LineStages {
  static constexpr int most = 12;
  struct Stage {
    int radix;
    int span;
    int table;            ///< where its twiddle factors begin
    unsigned reciprocal;  ///< ceil(2^32 / span): b / span without a division, exact for b * span < 2^32
  };
  int length;
  int count;
  Stage stage[most];
};

/// The number of threads that share a line, at most `most`. Each computes one butterfly at a time.
int line_threads(const LineStages& stages, int most);

/// The tables of one length on the host.
template <class Real>
struct LineTables {
  /// Throws ValueError when n has a prime factor above 5.
  explicit LineTables(Index n);

  LineStages stages;
  std::vector<std::complex<Real>> twiddle;  ///< per stage [radix - 1][span]: exp(-2 pi i p q / (radix * span))
  std::vector<int> head;                    ///< [n / last radix]: the last stage's butterfly b leaves the frequencies
                                            ///< head[b] + k * n / radix at its places b * radix + k
  std::vector<int> place;                   ///< frequency -> place
};

/// The tables in device memory.
template <class Real>
struct DeviceLine {
  LineStages stages;
  const std::complex<Real>* twiddle;
  const int* head;
  const int* place;
};

}  // namespace whorl::backend::cuda
