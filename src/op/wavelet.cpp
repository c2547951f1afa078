#include "whorl/op/wavelet.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/penalties/wavelet.hpp"
#include "whorl/op/differences.hpp"

namespace whorl {

namespace {

using Box = std::array<Index, 3>;

// The shortest axis that has more than one element; 1: none.
Index shortest_axis(const Box& box) {
  Index shortest = 0;
  for (const Index extent : box) {
    if (extent > 1) shortest = shortest == 0 ? extent : std::min(shortest, extent);
  }
  return std::max<Index>(shortest, 1);
}

std::vector<Box> wavelet_boxes(const std::array<Index, 4>& extent, int levels) {
  constexpr Index enough = 32;  // elements that are halved where nobody says how often
  if (levels < 0) throw ValueError(fmt::format("wavelet: {} levels, expected 0 or more", levels));
  std::vector<Box> boxes{{extent[1], extent[2], extent[3]}};
  const auto goes_on = [&] {
    const auto done = static_cast<int>(boxes.size()) - 1;
    const Index shortest = shortest_axis(boxes.back());
    if (shortest < 2) return false;
    return levels > 0 ? done < levels : done == 0 || shortest >= enough;
  };
  while (goes_on()) {
    Box next = boxes.back();
    for (Index& n : next) n -= n / 2;
    boxes.push_back(next);
  }
  return boxes;
}

template <class Real>
std::vector<Real> rounded_filter(int taps) {
  const std::vector<double> filter = daubechies_filter(taps);
  return std::vector<Real>(filter.begin(), filter.end());
}

}  // namespace

template <class Real>
Wavelet<Real>::Wavelet(const Shape& shape, const WaveletOptions& options)
    : LinearOperator<Real>(shape, shape, "Wavelet"),
      extent_(series_extent(shape, "wavelet")),
      boxes_(wavelet_boxes(extent_, options.levels)),
      low_(rounded_filter<Real>(options.taps)) {}

// The passes of a level leave their result where they found the input: by way of one array in between, or two for three
// axes. Along an axis of one element a pass is a copy.
template <class Real>
void Wavelet<Real>::pass_level(const Context& ctx, int level, const std::array<Index, 3>& shift, bool inverse,
                               Complex* x, Complex* scratch) const {
  const Box& box = boxes_[static_cast<std::size_t>(level)];
  std::vector<int> axes;
  for (int axis = 0; axis < 3; ++axis) {
    if (box[static_cast<std::size_t>(axis)] > 1) axes.push_back(axis);
  }
  if (axes.size() == 1) axes.push_back(box[0] == 1 ? 0 : 1);
  if (inverse) std::reverse(axes.begin(), axes.end());
  kernels::WaveletPass<Real> pass{.batch = extent_[0], .extent = boxes_.front(), .active = box, .inverse = inverse};
  pass.taps = static_cast<int>(low_.size());
  std::copy(low_.begin(), low_.end(), pass.low.begin());
  Complex* const other = scratch + this->domain().size();
  const std::array<Complex*, 4> places = axes.size() == 2 ? std::array<Complex*, 4>{x, scratch, x, nullptr}
                                                          : std::array<Complex*, 4>{x, scratch, other, x};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    pass.axis = axes[i];
    pass.shift = level == 0 ? shift[static_cast<std::size_t>(axes[i])] : 0;
    kernels::wavelet_pass<Real>(ctx, pass, places[i], places[i + 1]);
  }
}

template <class Real>
void Wavelet<Real>::analyze(const Context& ctx, const std::array<Index, 3>& shift, ArrayRef<Complex> x,
                            ArrayRef<Complex> scratch) const {
  for (int level = 0; level < levels(); ++level) pass_level(ctx, level, shift, false, x.data(), scratch.data());
}

template <class Real>
void Wavelet<Real>::synthesize(const Context& ctx, const std::array<Index, 3>& shift, ArrayRef<Complex> x,
                               ArrayRef<Complex> scratch) const {
  for (int level = levels(); level-- > 0;) pass_level(ctx, level, shift, true, x.data(), scratch.data());
}

template <class Real>
void Wavelet<Real>::do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
  Array<Complex> scratch(ctx, x.shape().with_front(2));
  copy<Complex>(ctx, x, y);
  analyze(ctx, {}, y, scratch);
}

template <class Real>
void Wavelet<Real>::do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
  Array<Complex> scratch(ctx, x.shape().with_front(2));
  copy<Complex>(ctx, y, x);
  synthesize(ctx, {}, x, scratch);
}

template <class Real>
void Wavelet<Real>::do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const {
  copy<Complex>(ctx, x, z);
}

template class Wavelet<float>;
template class Wavelet<double>;

}  // namespace whorl
