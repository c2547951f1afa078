#include "whorl/prox/locally_low_rank.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/penalties/low_rank.hpp"
#include "prox/shift_sequence.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

std::array<Index, 4> low_rank_extent(const Shape& shape) {
  if ((shape.rank() != 3 && shape.rank() != 4) || shape.size() == 0) {
    throw ShapeError(fmt::format("locally low rank: a series of shape {}, expected [image, y, x] or [image, z, y, x]",
                                 to_string(shape)));
  }
  return {shape[0], shape.rank() == 4 ? shape[1] : 1, shape[-2], shape[-1]};
}

kernels::Patches patches_of(const std::array<Index, 4>& extent, const std::array<Index, 3>& patch,
                            const std::array<Index, 3>& shift) {
  return {extent[0], {extent[1], extent[2], extent[3]}, patch, shift};
}

}  // namespace

template <class Real>
LocallyLowRank<Real>::LocallyLowRank(const Shape& shape, const LocallyLowRankOptions& options)
    : ProximalFunction<Real>(shape, "locally low rank"), extent_(low_rank_extent(shape)), options_(options) {
  if (options.start < 0) {
    throw ValueError(
        fmt::format("locally low rank: patches that start at pixel {}, expected 0 or more", options.start));
  }
  if (options.patch < 1) {
    throw ValueError(fmt::format("locally low rank: a patch of {} pixels, expected at least 1", options.patch));
  }
  for (std::size_t axis = 0; axis < 3; ++axis) patch_[axis] = std::min(options.patch, extent_[axis + 1]);
  const Index rank = patches_of(extent_, patch_, {}).rank();
  if (rank > kernels::most_low_rank) {
    throw Unsupported(fmt::format(
        "locally low rank: {} images and patches of {} pixels, expected at most {} of one of them; use smaller patches",
        extent_[0], patch_[0] * patch_[1] * patch_[2], kernels::most_low_rank));
  }
}

template <class Real>
double LocallyLowRank<Real>::do_value(const Context& ctx, ArrayRef<const Complex> x) const {
  return kernels::nuclear_norm<Real>(ctx, patches_of(extent_, patch_, shift_of(0)), x.data());
}

template <class Real>
void LocallyLowRank<Real>::do_prox(const Context& ctx, double step, ArrayRef<Complex> x, Index pass) const {
  static_cast<void>(do_prox_and_value(ctx, step, x, pass));
}

template <class Real>
double LocallyLowRank<Real>::do_prox_and_value(const Context& ctx, double step, ArrayRef<Complex> x, Index pass) const {
  return kernels::shrink_singular_values<Real>(ctx, patches_of(extent_, patch_, shift_of(pass)), step, x.data());
}

template <class Real>
std::array<Index, 3> LocallyLowRank<Real>::shift_of(Index pass) const {
  std::array<Index, 3> shift = patch_shift(options_.seed, options_.shifts ? pass : 0, patch_);
  for (std::size_t axis = 0; axis < 3; ++axis) shift[axis] = (shift[axis] + options_.start) % patch_[axis];
  return shift;
}

template class LocallyLowRank<float>;
template class LocallyLowRank<double>;

}  // namespace whorl
