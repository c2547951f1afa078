#include "whorl/op/sense_nufft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "op/nufft_plan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/on_device.hpp"

namespace whorl {

namespace {

void check_maps(const Shape& maps, const Shape& expected) {
  if (maps == expected) return;
  throw ShapeError(fmt::format("sense nufft: maps {}, the transform takes {}; expected equal shapes", to_string(maps),
                               to_string(expected)));
}

}  // namespace

template <class Real>
SenseNufft<Real>::SenseNufft(const Nufft<Real>& nufft, Array<Complex> maps, CoilsOfSum coils)
    : LinearOperator<Real>(nufft.domain().tail(), nufft.range(), "SenseNufft", nufft.device()),
      plan_(nufft.plan_),
      maps_(std::move(maps)),
      coils_(coils) {
  check_maps(maps_.shape(), nufft.domain());
  if (nufft.device() != maps_.device()) {
    throw DeviceError(fmt::format("sense nufft: the maps lie on {}, the transform runs on {}; copy them first",
                                  to_string(maps_.device()), to_string(nufft.device().value_or(Device{}))));
  }
}

template <class Real>
SenseNufft<Real>::SenseNufft(const Nufft<Real>& nufft, Array<Complex> maps, Index tile, CoilsOfSum coils)
    : LinearOperator<Real>(nufft.domain().tail(), nufft.range(), "SenseNufft", nufft.device()),
      plan_(nufft.plan_),
      maps_(std::move(maps)),
      tile_(tile),
      coils_(coils) {
  check_maps(maps_.shape(), nufft.domain());
  if (maps_.device().kind != DeviceKind::cpu) {
    throw DeviceError(
        fmt::format("sense nufft: maps for tiles lie on {}, expected them on the host", to_string(maps_.device())));
  }
  if (tile < 1) throw ValueError(fmt::format("sense nufft: tiles of {} coils, expected 1 or more", tile));
}

template <class Real>
SenseNufft<Real>::SenseNufft(SenseNufft&&) noexcept = default;
template <class Real>
SenseNufft<Real>::~SenseNufft() = default;

template <class Real>
template <class Work>
void SenseNufft<Real>::for_each_tile(const Context& ctx, Index tile, const Work& work) const {
  const Index coils = maps_.extent(0);
  for (Index first = 0; first < coils; first += tile) {
    const OnDevice<Complex> maps(ctx, maps_.ref().range(first, std::min(first + tile, coils)));
    work(maps.get(), first);
  }
}

template <class Real>
template <class Work>
void SenseNufft<Real>::add_tiles(const Context& ctx, Index tile, const Work& work) const {
  const Index coils = maps_.extent(0);
  const Index split = coils_ == CoilsOfSum::part ? coils : coils / 2;
  Array<Complex> second;
  if (ctx.device().kind != DeviceKind::cpu && split < coils) second = Array<Complex>(ctx, this->domain());
  const kernels::CoilSum<Real> sum{.first = 0, .all = coils, .split = split, .second = second.data()};
  for_each_tile(ctx, tile, [&](ArrayRef<const Complex> maps, Index first) { work(maps, sum.after(first)); });
}

template <class Real>
Index SenseNufft<Real>::tile() const {
  return tile_ > 0 ? tile_ : maps_.extent(0);
}

template <class Real>
void SenseNufft<Real>::do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
  for_each_tile(ctx, tile(), [&](ArrayRef<const Complex> maps, Index first) {
    plan_->forward(ctx, maps, x, y.range(first, first + maps.extent(0)));
  });
}

template <class Real>
void SenseNufft<Real>::do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
  add_tiles(ctx, tile(), [&](ArrayRef<const Complex> maps, const kernels::CoilSum<Real>& sum) {
    plan_->adjoint(ctx, maps, y.range(sum.first, sum.first + maps.extent(0)), x, sum);
  });
}

template <class Real>
void SenseNufft<Real>::adjoint_from_host(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
  if (y.device() == ctx.device()) return this->adjoint(ctx, y, x);
  if (y.shape() != this->range() || x.shape() != this->domain()) {
    throw ShapeError(fmt::format("SenseNufft adjoint: from {} to {}, expected from {} to {}", to_string(y.shape()),
                                 to_string(x.shape()), to_string(this->range()), to_string(this->domain())));
  }
  const Index at_once = tile_ > 0 ? tile_ : plan_->coils_at_once(maps_.extent(0));
  add_tiles(ctx, at_once, [&](ArrayRef<const Complex> maps, const kernels::CoilSum<Real>& sum) {
    const OnDevice<Complex> data(ctx, y.range(sum.first, sum.first + maps.extent(0)));
    plan_->adjoint(ctx, maps, data.get(), x, sum);
  });
}

template <class Real>
void SenseNufft<Real>::do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const {
  add_tiles(ctx, tile(), [&](ArrayRef<const Complex> maps, const kernels::CoilSum<Real>& sum) {
    plan_->normal(ctx, maps, x, z, sum);
  });
}

template class SenseNufft<float>;
template class SenseNufft<double>;

}  // namespace whorl
