#include "calib/joint_model.hpp"

#include "kernels/modulate.hpp"
#include "kernels/sense.hpp"

namespace whorl {

template <class Real>
JointModel<Real>::JointModel(const Context& ctx, const Shape& image, Index coils, Index sets,
                             const SmoothMapOptions& options)
    : coils_(coils),
      sets_(sets),
      voxels_(image.size()),
      smooth_(ctx, image, options),
      modes_(smooth_.box().size()),
      images_(ctx, {sets, voxels_}),
      maps_(ctx, {sets, coils, voxels_}),
      fields_(ctx, {sets, coils, voxels_}) {}

template <class Real>
ArrayRef<std::complex<Real>> JointModel<Real>::images_of(ArrayRef<Complex> x) const {
  return x.range(0, sets_ * voxels_).reshape({sets_, voxels_});
}

template <class Real>
ArrayRef<std::complex<Real>> JointModel<Real>::coefficients_of(ArrayRef<Complex> x, Index set) const {
  const Index first = sets_ * voxels_ + set * coils_ * modes_;
  return x.range(first, first + coils_ * modes_).reshape({coils_, modes_});
}

template <class Real>
ArrayRef<const std::complex<Real>> JointModel<Real>::images_in(ArrayRef<const Complex> x) const {
  return x.range(0, sets_ * voxels_).reshape({sets_, voxels_});
}

template <class Real>
ArrayRef<const std::complex<Real>> JointModel<Real>::coefficients_in(ArrayRef<const Complex> x) const {
  return x.range(sets_ * voxels_, unknowns()).reshape({sets_ * coils_, modes_});
}

template <class Real>
void JointModel<Real>::add_products(const Context& ctx, ArrayRef<const Complex> images, ArrayRef<const Complex> maps,
                                    bool add, ArrayRef<Complex> y) const {
  for (Index m = 0; m < sets_; ++m) {
    const Complex* image = images.slice(m).data();
    const Complex* of_set = maps.slice(m).data();
    if (m == 0 && !add) {
      kernels::modulate<Real>(ctx, kernels::Factor::plain, coils_, voxels_, image, of_set, y.data());
    } else {
      kernels::modulate_add<Real>(ctx, kernels::Factor::plain, coils_, voxels_, image, of_set, y.data());
    }
  }
}

template <class Real>
void JointModel<Real>::linearize(const Context& ctx, ArrayRef<const Complex> x) {
  copy<Complex>(ctx, images_in(x), images_);
  smooth_.forward(ctx, coefficients_in(x), maps_);
}

template <class Real>
void JointModel<Real>::value(const Context& ctx, ArrayRef<Complex> y) const {
  add_products(ctx, images_, maps_, false, y);
}

template <class Real>
void JointModel<Real>::derivative(const Context& ctx, ArrayRef<const Complex> dx, ArrayRef<Complex> y) {
  smooth_.forward(ctx, coefficients_in(dx), fields_);
  add_products(ctx, images_in(dx), maps_, false, y);
  add_products(ctx, images_, fields_, true, y);
}

template <class Real>
void JointModel<Real>::adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> dx) {
  const ArrayRef<Complex> images = images_of(dx);
  for (Index m = 0; m < sets_; ++m) {
    kernels::sense_adjoint<Real>(ctx, coils_, voxels_, maps_.slice(m).data(), y.data(), images.slice(m).data());
    kernels::modulate<Real>(ctx, kernels::Factor::conjugate, coils_, voxels_, images_.slice(m).data(), y.data(),
                            fields_.slice(m).data());
  }
  smooth_.adjoint(ctx, fields_, dx.range(sets_ * voxels_, unknowns()).reshape({sets_ * coils_, modes_}));
}

template <class Real>
JointModelMemory joint_model_memory(const Context& ctx, const Shape& image, Index coils, Index sets,
                                    const SmoothMapOptions& options) {
  const SmoothMaps<Real> smooth(ctx.host(), image, options);
  return {.kept = sets * (1 + 2 * coils) * image.size() * static_cast<Index>(sizeof(std::complex<Real>)),
          .scratch = smooth.scratch_bytes(sets * coils),
          .unknowns = sets * (image.size() + coils * smooth.box().size())};
}

#define WHORL_INSTANTIATE(Real)                                                                  \
  template class JointModel<Real>;                                                               \
  template JointModelMemory joint_model_memory<Real>(const Context&, const Shape&, Index, Index, \
                                                     const SmoothMapOptions&)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl
