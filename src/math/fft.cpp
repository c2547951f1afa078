#include "whorl/math/fft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "kernels/blas1.hpp"
#include "kernels/fft.hpp"
#include "kernels/rotate.hpp"

namespace whorl {

template <Precision Real>
std::shared_ptr<const FftPlan<Real>> make_fft_plan(const Context& ctx, const Shape& grid) {
  if (grid.rank() < 1 || grid.rank() > 3 || grid.size() == 0) {
    throw ShapeError(fmt::format("fft: expected 1 to 3 axes of at least one point, got {}", to_string(grid)));
  }
  return kernels::make_fft_plan<Real>(ctx, grid);
}

template <Precision Real>
void centered_fft(const Context& ctx, FftDirection direction, ArrayRef<std::complex<Real>> array, int dim) {
  if (dim < 1 || dim > 3 || array.rank() < dim) {
    throw ShapeError(
        fmt::format("centered_fft: can not transform the last {} axes of shape {}", dim, to_string(array.shape())));
  }
  std::vector<Index> extents(array.shape().end() - dim, array.shape().end());
  const Shape grid(extents);
  const auto plan = make_fft_plan<Real>(ctx, grid);
  std::array<Index, 3> extent{1, 1, 1};
  std::copy_backward(extents.begin(), extents.end(), extent.end());
  // From the center to the front, and back.
  std::array<Index, 3> to_front{};
  std::array<Index, 3> to_center{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    to_front[axis] = (extent[axis] + 1) / 2;
    to_center[axis] = extent[axis] / 2;
  }
  const Index points = grid.size();
  Array<std::complex<Real>> work(ctx, grid);
  const double scale = 1 / std::sqrt(static_cast<double>(points));
  for (Index start = 0; start < array.size(); start += points) {
    std::complex<Real>* image = array.data() + start;
    kernels::rotate<Real>(ctx, extent, to_front, image, work.data());
    plan->execute(ctx, direction, work.data(), 1);
    kernels::rotate<Real>(ctx, extent, to_center, work.data(), image);
    kernels::axpby<Real>(ctx, points, scale, image, 0.0, image);
  }
}

Index next_fast_even(Index n) {
  constexpr Index most = Index{1} << 62;
  if (n < 1 || n > most) throw ValueError(fmt::format("next_fast_even: {}, expected 1 to {}", n, most));
  for (Index candidate = n + (n % 2);; candidate += 2) {
    Index rest = candidate;
    for (const Index factor : {2, 3, 5}) {
      while (rest % factor == 0) rest /= factor;
    }
    if (rest == 1) return candidate;
  }
}

template std::shared_ptr<const FftPlan<float>> make_fft_plan(const Context&, const Shape&);
template std::shared_ptr<const FftPlan<double>> make_fft_plan(const Context&, const Shape&);
template void centered_fft(const Context&, FftDirection, ArrayRef<std::complex<float>>, int);
template void centered_fft(const Context&, FftDirection, ArrayRef<std::complex<double>>, int);

}  // namespace whorl
