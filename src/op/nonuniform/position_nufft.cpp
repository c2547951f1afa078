// One axis, arbitrary positions, derivatives (src/op/nonuniform). An image of one axis has one line, which may be long:
// single_axis_fft takes it through core's FFT instead of the passes over many lines, and gridding has loops (CPU) and
// kernels (gridding_line.cu) without tiles of lines. PositionNufft, the transform of type 3, spreads to a grid, whose
// window and spacing it chooses together with the Nufft behind it. NufftDerivative transforms the image times its
// coordinates.
#include "whorl/op/position_nufft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "core/on_host.hpp"
#include "kernels/gridding.hpp"
#include "kernels/modulate.hpp"
#include "kernels/nufft_cost.hpp"
#include "op/nufft_plan.hpp"
#include "op/window/window_polynomial.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/on_device.hpp"
#include "whorl/math/fft.hpp"
#include "whorl/op/tolerance_error.hpp"

namespace whorl {

namespace {

// What the columns of samples or positions span.
struct Range {
  double center = 0;
  double half = 0;
};

using Ranges = std::vector<Range>;  // x first

Ranges ranges_of(const Context& ctx, const char* what, ArrayRef<const double> rows) {
  if (rows.rank() != 2 || rows.extent(0) < 1 || rows.extent(1) < 1 || rows.extent(1) > 3) {
    throw ShapeError(fmt::format("position nufft: {} of shape {}; expected [count, dim] with dim 1 to 3, one or more",
                                 what, to_string(rows.shape())));
  }
  Ranges ranges;
  const auto values = rows.view<2>();
  const int threads = ctx.host().threads();
  for (Index axis = 0; axis < values.extent(1); ++axis) {
    double low = values(0, axis);
    double high = low;
    Index wrong = values.extent(0);  // the first
#pragma omp parallel for num_threads(threads) reduction(min : low, wrong) reduction(max : high)
    for (Index i = 0; i < values.extent(0); ++i) {
      const double value = values(i, axis);
      if (!(std::abs(value) <= 1e30)) wrong = std::min(wrong, i);
      low = std::min(low, value);
      high = std::max(high, value);
    }
    if (wrong < values.extent(0)) {
      throw ValueError(
          fmt::format("position nufft: {} {} is {} along axis {}; expected a finite number of at most 1e30", what,
                      wrong, values(wrong, axis), axis));
    }
    ranges.push_back({0.5 * (low + high), 0.5 * (high - low)});
  }
  return ranges;
}

// The phases that a pair of ranges spans, a fraction of a turn at least: a grid needs a spacing, though all positions or
// all samples may be one.
void widen(Range& k, Range& r) {
  constexpr double least = 0.125;
  if (k.half * r.half >= least) return;
  if (r.half > 0) {
    k.half = least / r.half;
  } else if (k.half > 0) {
    r.half = least / k.half;
  } else {
    k.half = r.half = std::sqrt(least);
  }
}

// The window and the grid of the spreading, and the options of the Nufft behind it.
struct Design {
  Window window;
  Shape grid;                   // z first
  std::vector<double> spacing;  // x first
  NufftOptions inner;
  double amplification;  // of the grid's errors, by the division at the end
  double cost;
};

// Half of the tolerance is for the spreading, half for the transform of the grid.
template <class Real>
std::optional<Design> design_with(const Context& ctx, double oversampling, const Ranges& k, const Ranges& r,
                                  Index samples, Index positions, const NufftOptions& options) {
  const WindowGoal goal{options.window, 0.5 * options.tolerance, options.accuracy, unit_roundoff<Real>};
  // The window's error depends on where a sample lies in the inner part of the spectrum, as that of a pixel on its place
  // in the field of view. An axis of this many pixels has all such places.
  constexpr Index evaluated = 256;
  const Shape places(std::vector<Index>(k.size(), evaluated));
  const auto window = find_window(goal, oversampling, places);
  if (!window) return std::nullopt;
  std::vector<Index> extents;
  std::vector<double> spacing;
  for (std::size_t axis = 0; axis < k.size(); ++axis) {
    spacing.push_back(1 / (2 * oversampling * k[axis].half));
    const double cells = std::ceil(2 * r[axis].half / spacing.back()) + window->width() + 2;
    if (cells > 1e9) return std::nullopt;
    extents.insert(extents.begin(), next_fast_even(static_cast<Index>(cells)));
  }
  const double of_axis = window->amplification(evaluated, options.accuracy);
  const double amplification = std::pow(std::max(of_axis, 1.0), static_cast<double>(k.size()));
  NufftOptions inner = options;
  inner.tolerance = 0.5 * options.tolerance / amplification;
  inner.normal = NormalMethod::pair;
  const Shape grid(extents);
  try {
    const NufftDesign transform = design_nufft(ctx, grid, samples, inner, unit_roundoff<Real>);
    const auto dim = static_cast<int>(k.size());
    const double cost = kernels::nufft_cost(ctx, {dim, window->width(), grid.size(), positions}) +
                        kernels::nufft_cost(ctx, {dim, transform.window.width(), transform.grid.size(), samples});
    return Design{*window, grid, std::move(spacing), inner, amplification, cost};
  } catch (const ValueError&) {  // rounding
    return std::nullopt;
  }
}

template <class Real>
Design design(const Context& ctx, const Ranges& k, const Ranges& r, Index samples, Index positions,
              const NufftOptions& options) {
  std::vector<double> choices{2, 1.75, 1.5, 1.25};
  if (options.oversampling != 0) choices = {options.oversampling};
  std::optional<Design> best;
  for (const double oversampling : choices) {
    auto found = design_with<Real>(ctx, oversampling, k, r, samples, positions, options);
    if (found && (!best || found->cost < best->cost)) best = std::move(found);
  }
  double turns = 1;
  for (std::size_t axis = 0; axis < k.size(); ++axis) turns *= 4 * k[axis].half * r[axis].half;
  // The grid, and the larger one of its transform.
  const double bytes = best ? static_cast<double>(best->grid.size()) * 2.5 * sizeof(std::complex<Real>) : 0;
  if (turns > 1e11 || bytes > static_cast<double>(ctx.pool().limit())) {
    throw ValueError(fmt::format(
        "position nufft: samples and positions span {:.3g} turns, whose grid does not fit into the {:.3g} GB that the "
        "context may take; check the units, or use PositionDft",
        turns, static_cast<double>(ctx.pool().limit()) * 1e-9));
  }
  if (!best) {
    throw ToleranceError(fmt::format(
        "position nufft: tolerance {:.1e} is below what rounding in {} precision allows for {}D; ask for more{}",
        options.tolerance, sizeof(Real) == 4 ? "single" : "double", k.size(),
        sizeof(Real) == 4 ? ", or use double precision" : ""));
  }
  return std::move(*best);
}

Shape checked_domain(ArrayRef<const double> points, ArrayRef<const double> positions, Index coils) {
  if (points.rank() == 2 && positions.rank() == 2 && points.extent(1) != positions.extent(1)) {
    throw ShapeError(
        fmt::format("position nufft: samples of {} dimensions and positions of {}; expected the same "
                    "number",
                    points.extent(1), positions.extent(1)));
  }
  if (points.rank() != 2 || positions.rank() != 2 || coils < 1) {
    throw ShapeError(
        fmt::format("position nufft: samples of shape {}, positions of shape {} and {} coils; expected "
                    "[sample, dim], [position, dim] and at least one coil",
                    to_string(points.shape()), to_string(positions.shape()), coils));
  }
  return {coils, positions.extent(0)};
}

// exp(-2 pi i turns)
std::complex<double> rotation(double turns) {
  return std::polar(1.0, -2 * std::numbers::pi * (turns - std::nearbyint(turns)));
}

}  // namespace

// With h the spacing and c the middle of the grid, r0 and k0 the centers of the ranges, along each axis
//
//   exp(-2 pi i k r) = exp(-2 pi i k r0) exp(-2 pi i k0 (r - r0)) exp(-2 pi i (k - k0)(r - r0)),
//   exp(-2 pi i (k - k0)(r - r0)) = 1/w^((k - k0) h) sum_m w((r - r0)/h - m) exp(-2 pi i (k - k0) h m)
//
// with w the window and w^ its transform. The sum is a Nufft of a grid whose pixel c has m = 0.
template <class Real>
class PositionNufft<Real>::Plan {
 public:
  Plan(const Context& ctx, ArrayRef<const double> points, ArrayRef<const double> positions, const NufftOptions& options)
      : Plan(ctx, points, positions, ranges_of(ctx, "samples", points), ranges_of(ctx, "positions", positions),
             options) {}

  const Shape& grid() const { return design_.grid; }

  void forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
    for_each_batch(ctx, x.extent(0), [&](Array<Complex>& values, Array<Complex>& grids, Index first, Index coils) {
      kernels::modulate<Real>(ctx, kernels::Factor::plain, coils, positions_, before_.data(), x.slice(first).data(),
                              values.data());
      spreading_->spread(ctx, values.data(), grids.data(), coils);
      const ArrayRef<Complex> samples(y.slice(first).data(), {coils, samples_}, y.device());
      transform_->forward(ctx, some(grids, coils), samples);
      kernels::modulate<Real>(ctx, kernels::Factor::plain, coils, samples_, after_.data(), samples.data(),
                              samples.data());
    });
  }

  void adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
    Array<Complex> samples(ctx, {transform_->coils_at_once(y.extent(0)), samples_});
    for_each_batch(ctx, x.extent(0), [&](Array<Complex>& values, Array<Complex>& grids, Index first, Index coils) {
      kernels::modulate<Real>(ctx, kernels::Factor::conjugate, coils, samples_, after_.data(), y.slice(first).data(),
                              samples.data());
      transform_->adjoint(ctx, ArrayRef<const Complex>(samples.data(), {coils, samples_}, samples.device()),
                          some(grids, coils));
      spreading_->interpolate(ctx, grids.data(), values.data(), coils);
      kernels::modulate<Real>(ctx, kernels::Factor::conjugate, coils, positions_, before_.data(), values.data(),
                              x.slice(first).data());
    });
  }

 private:
  Plan(const Context& ctx, ArrayRef<const double> points, ArrayRef<const double> positions, Ranges k, Ranges r,
       const NufftOptions& options)
      : samples_(points.extent(0)),
        positions_(positions.extent(0)),
        design_(widened_design(ctx, k, r, options)),
        before_(ctx, {positions_}),
        after_(ctx, {samples_}) {
    const auto dim = static_cast<Index>(k.size());
    std::array<double, 3> spacing{};
    std::array<double, 3> extent{};
    std::array<double, 3> center{};
    for (Index axis = 0; axis < dim; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const Index n = design_.grid[static_cast<int>(dim - 1 - axis)];
      spacing[a] = design_.spacing[a];
      extent[a] = static_cast<double>(n);
      const Index middle = n / 2;
      center[a] = static_cast<double>(middle);
    }

    Array<double> places(ctx.host(), positions.shape());  // in cycles per grid point
    Array<Complex> before(ctx.host(), {positions_});
    each(ctx, positions_,
         [&, from = positions.view<2>(), to = places.template view<2>(), out = before.data()](Index v) {
           double turns = 0;
           for (Index axis = 0; axis < dim; ++axis) {
             const auto a = static_cast<std::size_t>(axis);
             const double distance = from(v, axis) - r[a].center;
             const double place = (distance / spacing[a] + center[a]) / extent[a];
             to(v, axis) = place - std::nearbyint(place);
             turns += k[a].center * distance;
           }
           out[v] = Complex(rotation(turns));
         });
    copy<Complex>(ctx, before, before_);

    Array<double> inner(ctx.host(), points.shape());  // in cycles per pixel of the grid
    Array<Complex> after(ctx.host(), {samples_});
    // The Nufft has the factor 1/sqrt(pixels).
    const double scale = std::sqrt(static_cast<double>(design_.grid.size()));
    each(ctx, samples_, [&, from = points.view<2>(), to = inner.template view<2>(), out = after.data()](Index j) {
      double turns = 0;
      double factor = scale;
      for (Index axis = 0; axis < dim; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        const double frequency = from(j, axis);
        const double f = (frequency - k[a].center) * spacing[a];
        to(j, axis) = f;
        factor /= design_.window.transform(f);
        turns += frequency * r[a].center;
      }
      out[j] = Complex(factor * rotation(turns));
    });
    copy<Complex>(ctx, after, after_);

    const double polynomial_tolerance =
        0.05 * options.tolerance /
        (static_cast<double>(dim) * std::sqrt(design_.window.width()) * design_.amplification);
    const OnDevice<double> here(ctx, places);
    spreading_ = kernels::make_gridding_plan<Real>(ctx, {here.get(), kernels::dense_layout(padded_to_3d(design_.grid)),
                                                         fit_window(design_.window, polynomial_tolerance)});
    transform_ = std::make_unique<const NufftPlan<Real>>(ctx, inner, design_.grid, design_.inner, nullptr);
    ctx.synchronize();  // complete for other contexts too
  }

  Design widened_design(const Context& ctx, Ranges& k, Ranges& r, const NufftOptions& options) const {
    for (std::size_t axis = 0; axis < k.size(); ++axis) widen(k[axis], r[axis]);
    return design<Real>(ctx, k, r, samples_, positions_, options);
  }

  template <class Work>
  static void each(const Context& ctx, Index count, const Work& work) {
    const int threads = ctx.host().threads();
#pragma omp parallel for schedule(static) num_threads(threads)
    for (Index i = 0; i < count; ++i) work(i);
  }

  template <class Work>
  void for_each_batch(const Context& ctx, Index coils, const Work& work) const {
    const Index batch = transform_->coils_at_once(coils);
    Array<Complex> values(ctx, {batch, positions_});
    Array<Complex> grids(ctx, design_.grid.with_front(batch));
    for (Index first = 0; first < coils; first += batch) work(values, grids, first, std::min(batch, coils - first));
  }

  ArrayRef<Complex> some(Array<Complex>& grids, Index coils) const {
    return {grids.data(), design_.grid.with_front(coils), grids.device()};
  }

  Index samples_;
  Index positions_;
  Design design_;
  Array<Complex> before_;  // factors of the values
  Array<Complex> after_;   // and of the samples
  std::shared_ptr<const kernels::GriddingPlan<Real>> spreading_;
  std::unique_ptr<const NufftPlan<Real>> transform_;
};

template <class Real>
PositionNufft<Real>::PositionNufft(const Context& ctx, ArrayRef<const double> points, ArrayRef<const double> positions,
                                   Index coils, const NufftOptions& options)
    : LinearOperator<Real>(checked_domain(points, positions, coils), {coils, points.extent(0)}, "PositionNufft",
                           ctx.device()),
      plan_(std::make_shared<const Plan>(ctx, OnHost<double>(ctx, points).get(), OnHost<double>(ctx, positions).get(),
                                         options)) {}

template <class Real>
PositionNufft<Real>::PositionNufft(PositionNufft&&) noexcept = default;
template <class Real>
PositionNufft<Real>::~PositionNufft() = default;

template <class Real>
const Shape& PositionNufft<Real>::grid() const {
  return plan_->grid();
}

template <class Real>
void PositionNufft<Real>::do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
  plan_->forward(ctx, x, y);
}

template <class Real>
void PositionNufft<Real>::do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
  plan_->adjoint(ctx, y, x);
}

template class PositionNufft<float>;
template class PositionNufft<double>;

}  // namespace whorl
