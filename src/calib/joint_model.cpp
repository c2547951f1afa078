#include "calib/joint_model.hpp"

#include "kernels/modulate.hpp"
#include "kernels/sense.hpp"

namespace whorl {

template <class Real>
JointModel<Real>::JointModel(const Context& ctx, const Shape& image, Index coils, Index sets,
                             const SmoothMapOptions& options, Index at_once)
    : coils_(coils),
      sets_(sets),
      voxels_(image.size()),
      smooth_(ctx, image, options),
      modes_(smooth_.box().size()),
      at_once_(at_once),
      x_(ctx, {unknowns()}),
      maps_(ctx, {sets, at_once, voxels_}),
      fields_(ctx, {sets, at_once, voxels_}) {}

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
void JointModel<Real>::make_fields(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> fields) const {
  const Index count = end_ - first_;
  for (Index m = 0; m < sets_; ++m) {
    const Index place = place_of(m);
    smooth_.forward(ctx, x.range(place, place + count * modes_).reshape({count, modes_}),
                    fields.slice(m).range(0, count));
  }
}

template <class Real>
void JointModel<Real>::add_products(const Context& ctx, ArrayRef<const Complex> images, ArrayRef<const Complex> maps,
                                    bool add, ArrayRef<Complex> y) const {
  for (Index m = 0; m < sets_; ++m) {
    const Complex* image = images.slice(m).data();
    const Complex* of_set = maps.slice(m).data();
    if (m == 0 && !add) {
      kernels::modulate<Real>(ctx, kernels::Factor::plain, end_ - first_, voxels_, image, of_set, y.data());
    } else {
      kernels::modulate_add<Real>(ctx, kernels::Factor::plain, end_ - first_, voxels_, image, of_set, y.data());
    }
  }
}

template <class Real>
void JointModel<Real>::linearize(const Context& ctx, ArrayRef<const Complex> x) {
  copy<Complex>(ctx, x, x_);
  first_ = end_ = 0;
}

template <class Real>
void JointModel<Real>::enter(const Context& ctx, Index first, Index end) {
  if (first == first_ && end == end_) return;
  first_ = first;
  end_ = end;
  make_fields(ctx, x_, maps_);
}

template <class Real>
void JointModel<Real>::value(const Context& ctx, ArrayRef<Complex> y) const {
  add_products(ctx, images(), maps_, false, y);
}

template <class Real>
void JointModel<Real>::derivative(const Context& ctx, ArrayRef<const Complex> dx, ArrayRef<Complex> y) {
  make_fields(ctx, dx, fields_);
  add_products(ctx, images_in(dx), maps_, false, y);
  add_products(ctx, images(), fields_, true, y);
}

template <class Real>
void JointModel<Real>::adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> dx) {
  const Index count = end_ - first_;
  const ArrayRef<Complex> sums = images_of(dx);
  for (Index m = 0; m < sets_; ++m) {
    kernels::sense_adjoint<Real>(ctx, count, voxels_, maps_.slice(m).data(), y.data(), sums.slice(m).data(),
                                 first_ > 0);
    const ArrayRef<Complex> fields = fields_.slice(m).range(0, count);
    kernels::modulate<Real>(ctx, kernels::Factor::conjugate, count, voxels_, images().slice(m).data(), y.data(),
                            fields.data());
    const Index place = place_of(m);
    smooth_.adjoint(ctx, fields, dx.range(place, place + count * modes_).reshape({count, modes_}));
  }
}

template <class Real>
JointModelMemory joint_model_memory(const Context& ctx, const Shape& image, Index coils, Index sets,
                                    const SmoothMapOptions& options, Index at_once) {
  const SmoothMaps<Real> smooth(ctx.host(), image, options);
  const Index unknowns = sets * (image.size() + coils * smooth.box().size());
  return {.kept = (unknowns + sets * 2 * at_once * image.size()) * static_cast<Index>(sizeof(std::complex<Real>)),
          .scratch = smooth.scratch_bytes(at_once),
          .unknowns = unknowns};
}

#define WHORL_INSTANTIATE(Real)                                                                  \
  template class JointModel<Real>;                                                               \
  template JointModelMemory joint_model_memory<Real>(const Context&, const Shape&, Index, Index, \
                                                     const SmoothMapOptions&, Index)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl
