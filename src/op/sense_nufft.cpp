#include "whorl/op/sense_nufft.hpp"

#include <fmt/format.h>

#include <utility>

#include "op/nufft_plan.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

template <class Real>
SenseNufft<Real>::SenseNufft(const Nufft<Real>& nufft, Array<Complex> maps)
    : LinearOperator<Real>(nufft.domain().tail(), nufft.range(), "SenseNufft", nufft.device()),
      plan_(nufft.plan_),
      maps_(std::move(maps)) {
  if (maps_.shape() != nufft.domain()) {
    throw ShapeError(fmt::format("sense nufft: maps {}, the transform takes {}; expected equal shapes",
                                 to_string(maps_.shape()), to_string(nufft.domain())));
  }
  if (nufft.device() != maps_.device()) {
    throw DeviceError(fmt::format("sense nufft: the maps lie on {}, the transform runs on {}; copy them first",
                                  to_string(maps_.device()), to_string(nufft.device().value_or(Device{}))));
  }
}

template <class Real>
SenseNufft<Real>::SenseNufft(SenseNufft&&) noexcept = default;
template <class Real>
SenseNufft<Real>::~SenseNufft() = default;

template <class Real>
void SenseNufft<Real>::do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
  plan_->forward(ctx, maps_, x, y);
}

template <class Real>
void SenseNufft<Real>::do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
  plan_->adjoint(ctx, maps_, y, x);
}

template <class Real>
void SenseNufft<Real>::do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const {
  plan_->normal(ctx, maps_, x, z);
}

template class SenseNufft<float>;
template class SenseNufft<double>;

}  // namespace whorl
