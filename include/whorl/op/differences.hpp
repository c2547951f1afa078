// Differences: first differences of images along chosen axes.
#pragma once

#include <array>
#include <string>

#include "whorl/op/linear_operator.hpp"

namespace WHORL_PUBLIC whorl {

/// Axes of a series of images [frame, z, y, x] that have differences.
struct DifferenceAxes {
  bool frame = false;
  bool z = false;
  bool y = false;
  bool x = false;

  int count() const { return int{frame} + int{z} + int{y} + int{x}; }
  std::array<bool, 4> flags() const { return {frame, z, y, x}; }
  friend bool operator==(const DifferenceAxes&, const DifferenceAxes&) = default;
};

/// An image [y, x], [z, y, x] or a series of images [frame, z, y, x], as the latter.
/// Throws  ShapeError (another number of axes, an axis without elements)
std::array<Index, 4> series_extent(const Shape& shape, const std::string& operation);

/// The differences between each pixel and the next one along each of n axes:
///
///   forward  y[a,r] = (x[r+e_a] - x[r]) / (2 sqrt(n)),  0 where r is the last pixel of axis a
///
/// Along the axes that are `cyclic` the first pixel is next to the last one, as with heart phases of frames.
/// a counts the chosen axes in the order frame, z, y, x. The norm is at most 1: D^T D of a line has eigenvalues up to 4.
/// With the weights of WeightedDifferences the axes are those of one image.
///
/// Shapes  domain [y, x], [z, y, x] or [frame, z, y, x]; range [axis, domain...]
/// Cost    the normal operator passes once over the image
/// Throws  ShapeError (another number of axes), ValueError (no axis, a cyclic one that is not among them)
template <class Real>
class Differences final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  Differences(const Shape& shape, DifferenceAxes axes, DifferenceAxes cyclic = {});

 protected:
  void do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const override;

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override;
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override;

  DifferenceAxes axes_;
  DifferenceAxes cyclic_;
};

}  // namespace whorl
