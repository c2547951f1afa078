#include "whorl/op/subspace.hpp"

#include <fmt/format.h>

#include <utility>

#include "kernels/modulate.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

template <class Real>
Shape subspace_domain(const LinearOperator<Real>& transform, const Shape& courses) {
  if (courses.rank() != 2 || courses.size() == 0 || transform.range().rank() < 1 ||
      courses[1] != transform.range()[-1]) {
    throw ShapeError(fmt::format("subspace: courses {} for a transform from {} to {}; expected [component, sample]",
                                 to_string(courses), to_string(transform.domain()), to_string(transform.range())));
  }
  return transform.domain().with_front(courses[0]);
}

}  // namespace

template <class Real>
Subspace<Real>::Subspace(Operator<Real> transform, Array<Complex> courses)
    : LinearOperator<Real>(subspace_domain(*transform, courses.shape()), transform->range(), "Subspace",
                           courses.device()),
      transform_(std::move(transform)),
      courses_(std::move(courses)) {}

template <class Real>
Subspace<Real>::Subspace(Operator<Real> transform, Array<Complex> courses, Array<Complex> maps,
                         std::shared_ptr<const SubspaceSpectra<Real>> spectra)
    : Subspace(std::move(transform), std::move(courses)) {
  if (maps.shape() != transform_->domain().with_front(transform_->range()[0]) ||
      spectra->image() != transform_->domain() || spectra->components() != courses_.extent(0)) {
    throw ShapeError(fmt::format(
        "subspace: maps {} and spectra of {} components of images {} for {} components and a transform from {} to {}",
        to_string(maps.shape()), spectra->components(), to_string(spectra->image()), courses_.extent(0),
        to_string(transform_->domain()), to_string(transform_->range())));
  }
  maps_ = std::move(maps);
  spectra_ = std::move(spectra);
}

template <class Real>
void Subspace<Real>::do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
  const Index samples = courses_.extent(1);
  Array<Complex> signal(ctx, this->range());
  for (Index k = 0; k < courses_.extent(0); ++k) {
    transform_->forward(ctx, x.slice(k), signal);
    auto& add = k == 0 ? kernels::modulate<Real> : kernels::modulate_add<Real>;
    add(ctx, kernels::Factor::plain, y.size() / samples, samples, courses_.slice(k).data(), signal.data(), y.data());
  }
}

template <class Real>
void Subspace<Real>::do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
  const Index samples = courses_.extent(1);
  Array<Complex> signal(ctx, this->range());
  for (Index k = 0; k < courses_.extent(0); ++k) {
    kernels::modulate<Real>(ctx, kernels::Factor::conjugate, y.size() / samples, samples, courses_.slice(k).data(),
                            y.data(), signal.data());
    transform_->adjoint(ctx, signal, x.slice(k));
  }
}

template <class Real>
void Subspace<Real>::do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const {
  if (spectra_ != nullptr) return spectra_->apply(ctx, maps_, x, z);
  LinearOperator<Real>::do_normal(ctx, x, z);
}

template class Subspace<float>;
template class Subspace<double>;

}  // namespace whorl
