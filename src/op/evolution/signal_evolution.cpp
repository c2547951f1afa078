#include "whorl/op/signal_evolution.hpp"

#include <fmt/format.h>

#include <utility>

#include "kernels/modulate.hpp"

namespace whorl {

namespace {

// True if the last axes of `whole` are `part`.
bool ends_in(const Shape& whole, const Shape& part) {
  if (part.rank() == 0 || part.rank() > whole.rank()) return false;
  for (int axis = 1; axis <= part.rank(); ++axis) {
    if (whole[-axis] != part[-axis]) return false;
  }
  return true;
}

template <class Real>
void check_factors(const LinearOperator<Real>& transform, const EvolutionFactors<Real>& factors) {
  const Shape& maps = factors.maps.shape();
  const Shape& courses = factors.courses.shape();
  if (maps.rank() < 2 || courses.rank() != 2 || maps[0] < 1 || maps[0] != courses[0]) {
    throw ShapeError(
        fmt::format("signal evolution: maps {} and courses {}; expected [factor, image...] and [factor, sample], as "
                    "many factors in both and at least one",
                    to_string(maps), to_string(courses)));
  }
  if (factors.maps.device() != factors.courses.device()) {
    throw DeviceError(fmt::format("signal evolution: maps on {} and courses on {}; copy one of them first",
                                  to_string(factors.maps.device()), to_string(factors.courses.device())));
  }
  if (!ends_in(transform.domain(), maps.tail()) || !ends_in(transform.range(), courses.tail())) {
    throw ShapeError(
        fmt::format("signal evolution: maps of {} and courses of {} for a transform from {} to {}; expected its image "
                    "and its samples",
                    to_string(maps.tail()), to_string(courses.tail()), to_string(transform.domain()),
                    to_string(transform.range())));
  }
}

}  // namespace

template <class Real>
SignalEvolution<Real>::SignalEvolution(Operator<Real> transform, EvolutionFactors<Real> factors)
    : LinearOperator<Real>(transform->domain(), transform->range(), "SignalEvolution", factors.maps.device()),
      transform_(std::move(transform)) {
  check_factors(*transform_, factors);
  maps_ = std::move(factors.maps);
  courses_ = std::move(factors.courses);
}

template <class Real>
void SignalEvolution<Real>::do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
  const Index pixels = maps_.size() / maps_.extent(0);
  const Index samples = courses_.extent(1);
  Array<Complex> image(ctx, this->domain());
  Array<Complex> signal(ctx, this->range());
  for (Index l = 0; l < maps_.extent(0); ++l) {
    kernels::modulate<Real>(ctx, kernels::Factor::plain, x.size() / pixels, pixels, maps_.slice(l).data(), x.data(),
                            image.data());
    transform_->forward(ctx, image, signal);
    auto& add = l == 0 ? kernels::modulate<Real> : kernels::modulate_add<Real>;
    add(ctx, kernels::Factor::plain, y.size() / samples, samples, courses_.slice(l).data(), signal.data(), y.data());
  }
}

template <class Real>
void SignalEvolution<Real>::do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
  const Index pixels = maps_.size() / maps_.extent(0);
  const Index samples = courses_.extent(1);
  Array<Complex> image(ctx, this->domain());
  Array<Complex> signal(ctx, this->range());
  for (Index l = 0; l < maps_.extent(0); ++l) {
    kernels::modulate<Real>(ctx, kernels::Factor::conjugate, y.size() / samples, samples, courses_.slice(l).data(),
                            y.data(), signal.data());
    transform_->adjoint(ctx, signal, image);
    auto& add = l == 0 ? kernels::modulate<Real> : kernels::modulate_add<Real>;
    add(ctx, kernels::Factor::conjugate, x.size() / pixels, pixels, maps_.slice(l).data(), image.data(), x.data());
  }
}

template class SignalEvolution<float>;
template class SignalEvolution<double>;

}  // namespace whorl
