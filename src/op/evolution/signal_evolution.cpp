#include "whorl/op/signal_evolution.hpp"

#include <fmt/format.h>

#include <utility>

#include "kernels/components.hpp"
#include "kernels/modulate.hpp"
#include "kernels/nufft_cost.hpp"
#include "op/nufft_design.hpp"
#include "op/toeplitz.hpp"

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
SignalEvolution<Real>::SignalEvolution(Operator<Real> transform, EvolutionFactors<Real> factors, Array<Complex> maps,
                                       std::shared_ptr<const SubspaceSpectra<Real>> spectra)
    : SignalEvolution(std::move(transform), std::move(factors)) {
  if (maps.shape() != transform_->domain().with_front(transform_->range()[0]) ||
      maps_.shape() != transform_->domain().with_front(maps_.extent(0)) || spectra->image() != transform_->domain() ||
      spectra->components() != courses_.extent(0)) {
    throw ShapeError(
        fmt::format("signal evolution: coil maps {} and spectra of {} factors of images {} for {} factors and a "
                    "transform from {} to "
                    "{}; expected [coil, image...] of its image, and as many factors",
                    to_string(maps.shape()), spectra->components(), to_string(spectra->image()), courses_.extent(0),
                    to_string(transform_->domain()), to_string(transform_->range())));
  }
  coil_maps_ = std::move(maps);
  spectra_ = std::move(spectra);
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

template <class Real>
void SignalEvolution<Real>::do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const {
  if (spectra_ == nullptr) return LinearOperator<Real>::do_normal(ctx, x, z);
  const Index pixels = x.size();
  Array<Complex> images(ctx, maps_.shape());
  Array<Complex> convolved(ctx, maps_.shape());
  for (Index l = 0; l < maps_.extent(0); ++l) {
    kernels::modulate<Real>(ctx, kernels::Factor::plain, 1, pixels, maps_.slice(l).data(), x.data(),
                            images.slice(l).data());
  }
  spectra_->apply(ctx, coil_maps_, images, convolved);
  for (Index l = 0; l < maps_.extent(0); ++l) {
    auto& add = l == 0 ? kernels::modulate<Real> : kernels::modulate_add<Real>;
    add(ctx, kernels::Factor::conjugate, 1, pixels, maps_.slice(l).data(), convolved.slice(l).data(), z.data());
  }
}

template <class Real>
bool spectra_are_faster(const Context& ctx, Index samples, const Shape& image, Index coils, Index factors,
                        const NufftOptions& options) {
  if (factors > kernels::most_components) return false;
  const Index pairs = factors * (factors + 1) / 2;
  const Shape grid = normal_grid(image);
  const double bytes = static_cast<double>(pairs * grid.size()) * sizeof(std::complex<Real>);
  if (bytes > 0.25 * static_cast<double>(ctx.pool().limit())) return false;
  const auto transform_cost = [&](const Shape& of, const NufftOptions& with) {
    const NufftDesign design = design_nufft(ctx, of, samples, with, unit_roundoff<Real>);
    return kernels::nufft_cost(ctx, {design.grid.rank(), design.window.width(), design.grid.size(), samples});
  };
  const double pair = static_cast<double>(2 * factors * coils) * transform_cost(image, options);
  const double planning =
      static_cast<double>(pairs) * transform_cost(grid, impulse_options<Real>(ctx, grid, samples, options));
  constexpr double applications = 30;
  const kernels::MixingWork work{image.rank(), grid.size(), factors};
  return static_cast<double>(coils) * kernels::mixing_cost(ctx, work) + planning / applications < pair;
}

template class SignalEvolution<float>;
template class SignalEvolution<double>;
template bool spectra_are_faster<float>(const Context&, Index, const Shape&, Index, Index, const NufftOptions&);
template bool spectra_are_faster<double>(const Context&, Index, const Shape&, Index, Index, const NufftOptions&);

}  // namespace whorl
