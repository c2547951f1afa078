// InfimalVariation: the infimal convolution of total variation in space and in time.
#pragma once

#include <array>

#include "whorl/op/differences.hpp"
#include "whorl/prox/infimal_function.hpp"

namespace WHORL_PUBLIC whorl {

struct InfimalVariationOptions {
  double time = 1;          ///< weight of the variation in time, relative to that in space
  double mix = 0;           ///< of the other differences in each of both, from 0 to 1
  DifferenceAxes cyclic{};  ///< the axes along which the first pixel or frame is next to the last one
};

/// A series is the sum of two parts, one with few edges in space and one with few changes in time, whichever parts cost
/// least:
///
///   g(x) = weight min_v  sum_r |(G_s (x - v))[r]| + time sum_r |(G_t v)[r]|
///
/// G_s are the differences to the next pixel along the image's axes and, times `mix`, to the next frame; G_t those to the
/// next frame and, times `mix`, to the next pixels. With mix = 0 they are those of space and of time alone.
///
/// Shapes  x [frame, z, y, x], z = 1 in 2D
/// Throws  ShapeError (another number of axes), ValueError (one frame, options out of range)
/// Source  Holler, Kunisch, SIAM J Imaging Sci 7 (2014) 2258; for dynamic images: Schloegl, Holler, Schwarzl, Bredies,
///         Stollberger, Magn Reson Med 78 (2017) 142
template <class Real>
class InfimalVariation final : public InfimalFunction<Real> {
 public:
  using Complex = std::complex<Real>;

  InfimalVariation(const Shape& shape, double weight, const InfimalVariationOptions& options = {});

 private:
  struct Gradient {
    std::array<Real, 4> scale{};  // of the differences along frame, z, y, x
    Index axes = 0;               // that have differences
    double norm = 1;              // what the true differences are over these
  };
  static Gradient gradient_of(const Shape& shape, double space, double time);
  InfimalVariation(const Shape& shape, double weight, double time, const Gradient& in_space, const Gradient& in_time,
                   DifferenceAxes cyclic);

  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<const Complex> w,
                  ArrayRef<Complex> y) const override;
  void do_add_adjoint(const Context& ctx, double factor, ArrayRef<const Complex> y, ArrayRef<Complex> sum_x,
                      ArrayRef<Complex> sum_w) const override;

  Gradient in_space_;
  Gradient in_time_;
  DifferenceAxes cyclic_;
};

}  // namespace whorl
