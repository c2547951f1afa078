#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "kernels/components.hpp"
#include "kernels/modulate.hpp"
#include "kernels/nufft_cost.hpp"
#include "kernels/padded_fft.hpp"
#include "kernels/toeplitz.hpp"
#include "op/encoding_shapes.hpp"
#include "op/lags.hpp"
#include "op/nufft_memory.hpp"
#include "op/toeplitz.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/on_device.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/dft.hpp"
#include "whorl/op/subspace.hpp"

namespace whorl {

namespace {

Index pairs_of(Index components) { return components * (components + 1) / 2; }

template <class Real>
bool are_real(const Context& ctx, ArrayRef<const std::complex<Real>> courses) {
  const Array<std::complex<Real>> here = to_host<const std::complex<Real>>(ctx, courses);
  return std::all_of(here.span().begin(), here.span().end(),
                     [](const std::complex<Real>& value) { return value.imag() == 0; });
}

void check_courses(ArrayRef<const double> points, const Shape& courses) {
  if (courses.rank() != 2 || courses[0] < 1 || courses[1] != points.extent(0)) {
    throw ShapeError(fmt::format("subspace: courses {} for {} samples, expected [component, sample]",
                                 to_string(courses), points.extent(0)));
  }
  if (courses[0] > kernels::most_components) {
    throw Unsupported(fmt::format("subspace: {} components, expected at most {}; take a smaller rank", courses[0],
                                  kernels::most_components));
  }
}

// A grid without gaps of so many numbers, for kernels that go through all of them.
kernels::GridLayout as_one_line(Index size) { return kernels::dense_layout({1, 1, size}); }

}  // namespace

template <class Real>
struct SubspaceSpectra<Real>::Plan {
  Shape image;
  Index components = 0;
  bool real = false;
  std::shared_ptr<const kernels::PaddedFft<Real>> fft;
  Array<Real> real_spectra;        // [pair, point as the grids lie in memory]
  Array<Complex> complex_spectra;  // the same; one of both

  Index points() const { return fft->layout().size(); }
  // Coils whose grids of all components are in memory at a time.
  Index coils_at_once(const Context& ctx, Index coils) const {
    const Index bytes = components * points() * static_cast<Index>(sizeof(Complex));
    return std::clamp<Index>(kernels::most_coils_at_once(ctx, bytes), 1, coils);
  }
};

template <class Real>
SubspaceSpectra<Real>::SubspaceSpectra(const Context& ctx, ArrayRef<const double> points,
                                       ArrayRef<const Complex> courses, const Shape& image, const NufftOptions& options,
                                       bool exact) {
  encoding_domain(ctx, "subspace", points, image, 1);
  check_courses(points, courses.shape());
  const Shape grid = normal_grid(image);
  const std::array<Index, 3> extent = padded_to_3d(grid);
  auto plan = std::make_unique<Plan>();
  plan->image = image;
  plan->components = courses.extent(0);
  plan->real = are_real<Real>(ctx, courses);
  kernels::PaddedFftGeometry<Real> geometry{padded_to_3d(image), extent, {}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    geometry.factor[axis].assign(static_cast<std::size_t>(geometry.image[axis]), Real(1));
  }
  plan->fft = kernels::make_padded_fft<Real>(ctx, geometry);
  const auto impulse_fft = kernels::make_padded_fft<Real>(ctx, {extent, extent, lags_with_counterpart<Real>(extent)});
  const Index size = plan->points();
  const Shape all{pairs_of(plan->components), size};
  if (plan->real) {
    plan->real_spectra = Array<Real>(ctx, all);
  } else {
    plan->complex_spectra = Array<Complex>(ctx, all);
  }
  const OnDevice<Complex> here(ctx, courses);
  const Index samples = points.extent(0);
  // As in normal_spectrum.cpp: the adjoint has 1/sqrt(points of the grid), F^H F has 1/pixels, and the two transforms of
  // the convolution multiply by the points of the grid.
  const double scale = 1 / (std::sqrt(static_cast<double>(grid.size())) * static_cast<double>(image.size()));
  const auto fill = [&](const LinearOperator<Real>& transform) {
    Array<Complex> weights(ctx, {1, samples});
    Array<Complex> impulse(ctx, transform.domain());
    Array<Complex> transformed(ctx, {size});
    ProgressStage progress(ctx, "subspace: spectra", all[0]);
    Index pair = 0;
    for (Index k = 0; k < plan->components; ++k) {
      for (Index l = k; l < plan->components; ++l, ++pair) {
        kernels::modulate<Real>(ctx, kernels::Factor::conjugate, 1, samples, here.get().slice(k).data(),
                                here.get().slice(l).data(), weights.data());
        transform.adjoint(ctx, weights, impulse);
        whorl::fill<Complex>(ctx, transformed, 0);  // gaps between rows stay finite
        impulse_fft->forward(ctx, impulse.data(), transformed.data(), 1);
        if (plan->real) {
          kernels::real_spectrum<Real>(ctx, as_one_line(size), scale, transformed.data(),
                                       plan->real_spectra.slice(pair).data());
        } else {
          axpby<Real>(ctx, scale, transformed, 0, plan->complex_spectra.slice(pair));
        }
        progress.advance();
      }
    }
  };
  if (exact) {
    fill(Dft<Real>(ctx, points, grid, 1));
  } else {
    fill(Nufft<Real>(ctx, points, grid, 1, impulse_options<Real>(ctx, grid, samples, options)));
  }
  plan_ = std::move(plan);
}

template <class Real>
SubspaceSpectra<Real>::~SubspaceSpectra() = default;

template <class Real>
Index SubspaceSpectra<Real>::components() const {
  return plan_->components;
}
template <class Real>
const Shape& SubspaceSpectra<Real>::image() const {
  return plan_->image;
}
template <class Real>
bool SubspaceSpectra<Real>::real() const {
  return plan_->real;
}

template <class Real>
void SubspaceSpectra<Real>::apply(const Context& ctx, ArrayRef<const Complex> maps, ArrayRef<const Complex> x,
                                  ArrayRef<Complex> z) const {
  const Plan& plan = *plan_;
  const Index coils = maps.extent(0);
  const Index at_once = plan.coils_at_once(ctx, coils);
  Array<Complex> grids(ctx, {plan.components, at_once * plan.points()});
  for (Index first = 0; first < coils; first += at_once) {
    const Index count = std::min(at_once, coils - first);
    const Index stride = count * plan.points();  // from component to component
    const Complex* const some = maps.slice(first).data();
    for (Index k = 0; k < plan.components; ++k) {
      plan.fft->forward_of_coils(ctx, x.slice(k).data(), some, grids.data() + k * stride, count);
    }
    const kernels::MixedGrids what{plan.components, count, plan.points(), plan.fft->layout().together};
    if (plan.real) {
      kernels::mix_by_real_spectra<Real>(ctx, what, plan.real_spectra.data(), grids.data());
    } else {
      kernels::mix_by_complex_spectra<Real>(ctx, what, plan.complex_spectra.data(), grids.data());
    }
    for (Index k = 0; k < plan.components; ++k) {
      plan.fft->adjoint_of_coils(ctx, grids.data() + k * stride, some, z.slice(k).data(), count,
                                 {.first = first, .all = coils, .split = coils});
    }
  }
}

template <class Real>
NufftMemory subspace_memory(const Context& ctx, ArrayRef<const double> points, const Shape& image, Index components,
                            Index coils, bool real, const NufftOptions& options) {
  constexpr auto real_bytes = static_cast<Index>(sizeof(Real));
  constexpr Index complex_bytes = 2 * real_bytes;
  const Shape grid = normal_grid(image);
  const Index samples = points.extent(0);
  const Index size = kernels::padded_layout(ctx, padded_to_3d(grid), real_bytes).size();
  const Index at_once =
      std::clamp<Index>(kernels::most_coils_at_once(ctx, components * size * complex_bytes), 1, coils);
  const NufftMemory nufft =
      nufft_memory<Real>(ctx, points, grid, 1, impulse_options<Real>(ctx, grid, samples, options));
  return {.plan = pairs_of(components) * size * (real ? real_bytes : complex_bytes),
          .normal = components * at_once * size * complex_bytes,
          .planning =
              (samples + grid.size() + size) * complex_bytes + nufft.plan + std::max(nufft.adjoint, nufft.planning)};
}

template class SubspaceSpectra<float>;
template class SubspaceSpectra<double>;
template NufftMemory subspace_memory<float>(const Context&, ArrayRef<const double>, const Shape&, Index, Index, bool,
                                            const NufftOptions&);
template NufftMemory subspace_memory<double>(const Context&, ArrayRef<const double>, const Shape&, Index, Index, bool,
                                             const NufftOptions&);

}  // namespace whorl
