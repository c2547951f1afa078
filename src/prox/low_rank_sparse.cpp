#include "whorl/prox/low_rank_sparse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/channels.hpp"
#include "kernels/penalties/differences.hpp"
#include "op/difference_kernels.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/prox/locally_low_rank.hpp"
#include "whorl/prox/low_rank.hpp"

namespace whorl {

namespace {

constexpr const char* sum_name = "low rank plus sparse";
constexpr DifferenceAxes frames_alone{true, false, false, false};

Shape checked_frames(const Shape& shape, const LowRankSparseOptions& options) {
  if (shape.rank() != 4 || shape.size() == 0 || shape[0] < 2) {
    throw ValueError(fmt::format("{}: images of shape {}, expected [frame, z, y, x] with two frames or more", sum_name,
                                 to_string(shape)));
  }
  if (!(options.sparse > 0) || options.patch < 0) {
    throw ValueError(
        fmt::format("{}: a weight of the sparse part of {}, a patch of {} pixels; expected more than 0, and 0 "
                    "or more",
                    sum_name, options.sparse, options.patch));
  }
  return shape;
}

// The longer side of the matrices of the part of low rank.
double longer_side(const Shape& shape, const LowRankSparseOptions& options) {
  Index pixels = 1;
  for (int axis = 1; axis < 4; ++axis) {
    pixels *= options.patch > 0 ? std::min(options.patch, shape[axis]) : shape[axis];
  }
  return static_cast<double>(std::max(pixels, shape[0]));
}

Index grids_of(const LowRankSparseOptions& options) { return options.patch > 1 && options.two_grids ? 2 : 1; }

template <class Real>
std::shared_ptr<const ProximalFunction<Real>> nuclear_norm_of(const Shape& shape, const LowRankSparseOptions& options,
                                                              Index grid) {
  if (options.patch == 0) return std::make_shared<const LowRank<Real>>(shape);
  return std::make_shared<const LocallyLowRank<Real>>(
      shape, LocallyLowRankOptions{.patch = options.patch, .shifts = false, .start = grid * (options.patch / 2)});
}

// The differences of the kernel are the true ones over 2 sqrt(1).
double norm_of(SparseTransform transform) { return transform == SparseTransform::fourier ? 1 : 2; }

// The unitary transform over the frames, or its inverse.
std::vector<std::complex<double>> fourier_matrix(Index frames, double sign) {
  std::vector<std::complex<double>> matrix;
  const auto n = static_cast<double>(frames);
  for (Index k = 0; k < frames; ++k) {
    for (Index t = 0; t < frames; ++t) {
      const double turns = static_cast<double>(k * t % frames) / n;
      matrix.push_back(std::polar(1 / std::sqrt(n), sign * 2 * std::numbers::pi * turns));
    }
  }
  return matrix;
}

}  // namespace

template <class Real>
LowRankSparse<Real>::LowRankSparse(const Shape& shape, double weight, const LowRankSparseOptions& options)
    : InfimalFunction<Real>(sum_name, checked_frames(shape, options), 1, parts_of(shape, weight, options),
                            InfimalFunction<Real>::norm_of_two_parts),
      transform_(options.transform),
      grids_(grids_of(options)) {
  if (transform_ == SparseTransform::fourier) {
    fourier_ = fourier_matrix(shape[0], -1);
    inverse_ = fourier_matrix(shape[0], 1);
  }
}

// The mean of g grids' norms is the sum of |(x - S) / sqrt(g)|_* / sqrt(g).
template <class Real>
auto LowRankSparse<Real>::parts_of(const Shape& shape, double weight, const LowRankSparseOptions& options)
    -> std::vector<Part> {
  const Index grids = grids_of(options);
  const double of_grid = weight * std::sqrt(longer_side(shape, options) / static_cast<double>(grids));
  std::vector<Part> parts;
  for (Index grid = 0; grid < grids; ++grid) {
    parts.push_back({1, of_grid, nuclear_norm_of<Real>(shape, options, grid)});
  }
  parts.push_back({1, weight * options.sparse * norm_of(options.transform)});
  return parts;
}

template <class Real>
void LowRankSparse<Real>::transform(const Context& ctx, bool adjoint, ArrayRef<const Complex> from,
                                    ArrayRef<Complex> to) const {
  const Shape& shape = this->domain();
  const auto differences = difference_kernel<Real>({shape[0], shape[1], shape[2], shape[3]}, frames_alone);
  if (transform_ == SparseTransform::fourier) {
    kernels::apply_channel_matrix<Real>(ctx, shape[0], shape[0], shape.tail().size(),
                                        (adjoint ? inverse_ : fourier_).data(), from.data(), to.data());
  } else if (adjoint) {
    kernels::differences_adjoint<Real>(ctx, differences, from.data(), to.data());
  } else {
    kernels::differences_forward<Real>(ctx, differences, from.data(), to.data());
  }
}

template <class Real>
double LowRankSparse<Real>::scale_of_grid() const {
  return 1 / std::sqrt(static_cast<double>(grids_));
}

template <class Real>
void LowRankSparse<Real>::do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<const Complex> w,
                                     ArrayRef<Complex> y) const {
  const ArrayRef<Complex> rest = y.slice(0);
  const double scale = scale_of_grid();
  copy<Complex>(ctx, x, rest);
  axpby<Real>(ctx, -scale, w.slice(0), scale, rest);
  for (Index grid = 1; grid < grids_; ++grid) copy<Complex>(ctx, rest, y.slice(grid));
  transform(ctx, false, w.slice(0), y.slice(grids_));
}

template <class Real>
void LowRankSparse<Real>::do_add_adjoint(const Context& ctx, double factor, ArrayRef<const Complex> y,
                                         ArrayRef<Complex> sum_x, ArrayRef<Complex> sum_w) const {
  const double of_grid = factor * scale_of_grid();
  for (Index grid = 0; grid < grids_; ++grid) {
    axpby<Real>(ctx, of_grid, y.slice(grid), 1, sum_x);
    axpby<Real>(ctx, -of_grid, y.slice(grid), 1, sum_w.slice(0));
  }
  Array<Complex> back(ctx, sum_x.shape());
  transform(ctx, true, y.slice(grids_), back);
  axpby<Real>(ctx, factor, back, 1, sum_w.slice(0));
}

// W^H W = [1 -1; -1 1 + T^H T]: without the matrix of the transform, which comes from the host.
template <class Real>
void LowRankSparse<Real>::do_add_normal(const Context& ctx, double factor, ArrayRef<const Complex> x,
                                        ArrayRef<const Complex> w, ArrayRef<Complex> sum_x,
                                        ArrayRef<Complex> sum_w) const {
  const bool unitary = transform_ == SparseTransform::fourier;
  const ArrayRef<Complex> of_w = sum_w.slice(0);
  axpby<Real>(ctx, factor, x, 1, sum_x);
  axpby<Real>(ctx, -factor, w.slice(0), 1, sum_x);
  axpby<Real>(ctx, -factor, x, 1, of_w);
  axpby<Real>(ctx, unitary ? 2 * factor : factor, w.slice(0), 1, of_w);
  if (unitary) return;
  const Shape& shape = x.shape();
  auto differences = difference_kernel<Real>({shape[0], shape[1], shape[2], shape[3]}, frames_alone);
  for (Real& scale : differences.scale) scale *= static_cast<Real>(std::sqrt(factor));
  differences.add = true;
  kernels::differences_normal<Real>(ctx, differences, w.data(), of_w.data());
}

template class LowRankSparse<float>;
template class LowRankSparse<double>;

}  // namespace whorl
