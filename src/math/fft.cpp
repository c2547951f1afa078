#include "whorl/math/fft.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <vector>

#include "kernels/blas1.hpp"
#include "kernels/fft.hpp"

namespace whorl {

template <class Real>
std::shared_ptr<const FftPlan<Real>> make_fft_plan(const Context& ctx, const Shape& grid) {
  if (grid.rank() < 1 || grid.rank() > 3 || grid.size() == 0) {
    throw ShapeError(fmt::format("fft: expected 1 to 3 axes of at least one point, got {}", to_string(grid)));
  }
  return kernels::make_fft_plan<Real>(ctx, grid);
}

namespace {

// Rotates each axis so that index `from(N)` moves to the front: floor(N/2) centers to corners, ceil(N/2) back.
template <class T>
void rotate(ArrayRef<const T> in, ArrayRef<T> out, bool to_center) {
  const auto shift = [to_center](Index n) { return to_center ? n / 2 : (n + 1) / 2; };
  const auto from = in.template view<3>();
  const auto to = out.template view<3>();
  const Index sz = shift(from.extent(0));
  const Index sy = shift(from.extent(1));
  const Index sx = shift(from.extent(2));
  for (Index z = 0; z < from.extent(0); ++z) {
    for (Index y = 0; y < from.extent(1); ++y) {
      const T* row = &from(z, y, 0);
      T* target = &to((z + sz) % from.extent(0), (y + sy) % from.extent(1), 0);
      const Index nx = from.extent(2);
      std::copy(row, row + (nx - sx), target + sx);
      std::copy(row + (nx - sx), row + nx, target);
    }
  }
}

}  // namespace

template <class Real>
void centered_fft(const Context& ctx, FftDirection direction, ArrayRef<std::complex<Real>> array, int dim) {
  if (dim < 1 || dim > 3 || array.rank() < dim) {
    throw ShapeError(
        fmt::format("centered_fft: can not transform the last {} axes of shape {}", dim, to_string(array.shape())));
  }
  std::vector<Index> extents(array.shape().end() - dim, array.shape().end());
  const Shape grid(extents);
  const auto plan = make_fft_plan<Real>(ctx, grid);
  while (extents.size() < 3) extents.insert(extents.begin(), 1);
  const Shape padded(extents);
  const Index points = grid.size();
  Array<std::complex<Real>> work(ctx, padded);
  const double scale = 1 / std::sqrt(static_cast<double>(points));
  for (Index start = 0; start < array.size(); start += points) {
    const ArrayRef<std::complex<Real>> image(array.data() + start, padded, array.device());
    rotate<std::complex<Real>>(image, work, false);
    plan->execute(ctx, direction, work.data(), 1);
    rotate<std::complex<Real>>(work.ref(), image, true);
    kernels::axpby<Real>(ctx, points, scale, image.data(), 0.0, image.data());
  }
}

Index next_fast_even(Index n) {
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
