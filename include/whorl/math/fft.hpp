// Fourier transform of arrays on a grid.
#pragma once

#include <complex>
#include <memory>

#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"

namespace WHORL_PUBLIC whorl {

enum class FftDirection { forward, inverse };

/// A reusable plan for unnormalized, in-place transforms of the last axes of an array.
///
///   forward  X[k] = sum_n x[n] exp(-2 pi i n k / N),   inverse  x[n] = sum_k X[k] exp(+2 pi i n k / N),
///
/// with indices that start at 0 (no shift); forward then inverse multiplies by the number of grid points.
/// Accuracy relative l2 error of O(eps sqrt(log N))
/// Memory   tables only; the transform is in place
/// Threads  several may execute a plan at once, as Context allows
template <class Real>
class FftPlan {
 public:
  virtual ~FftPlan() = default;
  /// Transforms `batch` grids that lie one after another in memory.
  virtual void execute(const Context& ctx, FftDirection direction, std::complex<Real>* grids, Index batch) const = 0;
};

/// A plan for grids of the given shape (rank 1 to 3) on the context's device. Planning measures no times.
template <Precision Real>
WHORL_PUBLIC std::shared_ptr<const FftPlan<Real>> make_fft_plan(const Context& ctx, const Shape& grid);

/// Centered, unitary transform of the last `dim` axes, in place: index floor(N/2) is the origin on both sides and the
/// scale is 1/sqrt(N) both ways. The leading axes are a batch.
template <Precision Real>
WHORL_PUBLIC void centered_fft(const Context& ctx, FftDirection direction, ArrayRef<std::complex<Real>> array, int dim);
template <Precision Real>
void centered_fft(const Context& ctx, FftDirection direction, Array<std::complex<Real>>& array, int dim) {
  centered_fft(ctx, direction, array.ref(), dim);
}

/// The smallest even number >= n whose prime factors are 2, 3 and 5: a size for which the FFT is fast.
/// Throws ValueError (n below 1, or so large that the result does not fit 62 bits).
Index next_fast_even(Index n);

}  // namespace whorl
