// Differences: first differences of images along chosen axes.
#pragma once

#include <array>
#include <string>

#include "whorl/op/linear_operator.hpp"

namespace WHORL_PUBLIC whorl {

/// Which axes of a series of images [frame, z, y, x] have differences.
struct DifferenceAxes {
  bool frame = false;
  bool z = false;
  bool y = false;
  bool x = false;

  int count() const { return int{frame} + int{z} + int{y} + int{x}; }
  friend bool operator==(const DifferenceAxes&, const DifferenceAxes&) = default;
};

/// An image [y, x], [z, y, x] or a series of images [frame, z, y, x], as the latter.
/// Throws  ShapeError (another number of axes, an axis without elements)
std::array<Index, 4> series_extent(const Shape& shape, const std::string& operation);

/// The differences between each pixel and the next one along each of n axes, without wraparound:
///
///   forward  y[a,r] = (x[r+e_a] - x[r]) / (2 sqrt(n)),  0 where r is the last pixel of axis a
///
/// a counts the chosen axes in the order frame, z, y, x. The norm is below 1: D^T D of a line has eigenvalues below 4.
/// With the weights of WeightedDifferences the axes are those of one image.
///
/// Shapes  domain [y, x], [z, y, x] or [frame, z, y, x]; range [axis, domain...]
/// Cost    the normal operator passes once over the image
/// Throws  ShapeError (another number of axes), ValueError (no axis)
template <class Real>
class Differences final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  Differences(const Shape& shape, DifferenceAxes axes);

 protected:
  void do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const override;

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override;
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override;

  DifferenceAxes axes_;
};

}  // namespace whorl
