#include "whorl/op/compose.hpp"

#include <fmt/format.h>

#include <utility>

namespace whorl {

template <class Real>
Composition<Real>::Composition(SharedOperator<Real> outer, SharedOperator<Real> inner)
    : LinearOperator<Real>(inner->domain(), outer->range()), outer_(std::move(outer)), inner_(std::move(inner)) {
  if (outer_->domain() != inner_->range()) {
    throw ShapeError(fmt::format("composition: the inner operator gives {}, the outer takes {}; expected equal shapes",
                                 to_string(inner_->range()), to_string(outer_->domain())));
  }
}

template <class Real>
void Composition<Real>::do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
  Array<Complex> between(ctx, inner_->range());
  inner_->forward(ctx, x, between);
  outer_->forward(ctx, between, y);
}

template <class Real>
void Composition<Real>::do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
  Array<Complex> between(ctx, inner_->range());
  outer_->adjoint(ctx, y, between);
  inner_->adjoint(ctx, between, x);
}

template <class Real>
void Composition<Real>::do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const {
  Array<Complex> before(ctx, inner_->range());
  Array<Complex> after(ctx, inner_->range());
  inner_->forward(ctx, x, before);
  outer_->normal(ctx, before, after);
  inner_->adjoint(ctx, after, z);
}

template class Composition<float>;
template class Composition<double>;

}  // namespace whorl
