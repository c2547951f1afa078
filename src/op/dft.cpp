#include "whorl/op/dft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/dft.hpp"
#include "op/encoding_shapes.hpp"
#include "op/toeplitz.hpp"

namespace whorl {

namespace {

kernels::DftGeometry geometry_of(ArrayRef<const double> points, const Shape& domain, double tolerance) {
  const Shape image = domain.tail();
  return {points, padded_to_3d(image), 1 / std::sqrt(static_cast<double>(image.size())), tolerance};
}

double checked_tolerance(double tolerance) {
  if (!(tolerance >= 0)) {
    throw ValueError(fmt::format("dft: tolerance {}; expected zero or a relative error above it", tolerance));
  }
  return tolerance;
}

}  // namespace

template <class Real>
Dft<Real>::Dft(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape, Index coils,
               const DftOptions& options)
    : LinearOperator<Real>(encoding_domain(ctx, "dft", points, image_shape, coils), {coils, points.extent(0)}, "Dft",
                           ctx.device()),
      points_(std::make_shared<const Array<double>>(clone(ctx, points))),
      tolerance_(checked_tolerance(options.tolerance)) {
  ctx.synchronize();  // the plan is complete for other contexts too
}

template <class Real>
Dft<Real>::Dft(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape, Index coils,
               const DftOptions& options, const NormalSpectrum<Real>& normal)
    : Dft(ctx, points, image_shape, coils, options) {
  normal_ = make_toeplitz(ctx, "dft", image_shape, normal);
  ctx.synchronize();  // the plan is complete for other contexts too
}

template <class Real>
Dft<Real>::Dft(const Dft& other, Index coils)
    : LinearOperator<Real>(other.domain().tail().with_front(coils), {coils, other.range()[1]}, "Dft", other.device()),
      points_(other.points_),
      tolerance_(other.tolerance_),
      normal_(other.normal_) {
  if (coils < 1) throw ShapeError("dft: expected at least one coil");
}

template <class Real>
Dft<Real>::Dft(Dft&&) noexcept = default;
template <class Real>
Dft<Real>::~Dft() = default;

template <class Real>
void Dft<Real>::do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
  kernels::dft_forward<Real>(ctx, geometry_of(*points_, this->domain(), tolerance_), x.data(), y.data(), x.extent(0));
}

template <class Real>
void Dft<Real>::do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
  kernels::dft_adjoint<Real>(ctx, geometry_of(*points_, this->domain(), tolerance_), y.data(), x.data(), x.extent(0));
}

template <class Real>
void Dft<Real>::do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const {
  if (normal_ == nullptr) return LinearOperator<Real>::do_normal(ctx, x, z);
  normal_->apply(ctx, x.data(), z.data(), x.extent(0));
}

Index dft_memory(const Context& ctx, Index samples, const Shape& image_shape, Index coils) {
  const Index sums = 16 * image_shape.size() * coils;
  const auto [nz, ny, nx] = padded_to_3d(image_shape);
  // Each position as two numbers an axis; the factors along each axis of 192 samples, or in single precision of four times 128
  // with x in vectors.
  if (ctx.device().kind == DeviceKind::cpu) {
    const Index single = Index{512} * 8 * (nx + 32 + ny + nz + coils);
    return sums + 48 * samples + std::max(Index{192} * 8 * (nx + 2 * (ny + nz + coils)), single);
  }
  const Index panels = (nx / 2 + 64) / 64;  // of 64 pairs of pixels
  return sums + std::min<Index>(samples, 16384) * (512 * panels + 8 * (nz + ny) + 64 * panels * coils);
}

template class Dft<float>;
template class Dft<double>;

}  // namespace whorl
