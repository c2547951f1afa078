#include "whorl/op/position_dft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/on_host.hpp"
#include "kernels/position_dft.hpp"
#include "whorl/core/on_device.hpp"

namespace whorl {

namespace {

// Above this, float would not hold the distance from the origin of a tile to a position in it well enough.
constexpr double most_position_turns = 1 << 26;
// Floats reach 3e38.
constexpr double most = 1e30;

// Largest absolute value of a column, 0 if it is empty.
double reach(const char* what, ArrayRef<const double> rows, int axis) {
  const auto values = rows.view<2>();
  double largest = 0;
  for (Index i = 0; axis < values.extent(1) && i < values.extent(0); ++i) {
    const double value = values(i, axis);
    if (!(std::abs(value) <= most)) {
      throw ValueError(fmt::format("position dft: {} {} is {} along axis {}; expected a finite number of at most 1e30",
                                   what, i, value, axis));
    }
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

Shape checked_domain(const Context& ctx, ArrayRef<const double> points, ArrayRef<const double> positions, Index coils) {
  for (const auto& [what, rows] : {std::pair{"samples", points}, std::pair{"positions", positions}}) {
    if (rows.rank() != 2 || rows.extent(1) < 1 || rows.extent(1) > 3) {
      throw ShapeError(fmt::format("position dft: {} of shape {}; expected [count, dim] with dim 1 to 3", what,
                                   to_string(rows.shape())));
    }
  }
  if (points.extent(1) != positions.extent(1)) {
    throw ShapeError(fmt::format("position dft: samples of {} dimensions and positions of {}; expected the same number",
                                 points.extent(1), positions.extent(1)));
  }
  if (coils < 1) throw ShapeError(fmt::format("position dft: {} coils; expected at least one", coils));
  const OnHost<double> k(ctx, points);
  const OnHost<double> r(ctx, positions);
  double turns = 0;
  for (int axis = 0; axis < 3; ++axis) turns += reach("sample", k.get(), axis) * reach("position", r.get(), axis);
  if (turns > most_position_turns) {
    throw ValueError(
        fmt::format("position dft: k.r reaches {:.3g} turns, expected at most 2^26; check the units", turns));
  }
  return {coils, positions.extent(0)};
}

}  // namespace

template <class Real>
PositionDft<Real>::PositionDft(const Context& ctx, ArrayRef<const double> points, ArrayRef<const double> positions,
                               Index coils)
    : LinearOperator<Real>(checked_domain(ctx, points, positions, coils), {coils, points.extent(0)}, "PositionDft",
                           ctx.device()),
      plan_(kernels::make_position_dft_plan<Real>(ctx, OnDevice<double>(ctx, points).get(),
                                                  OnDevice<double>(ctx, positions).get())) {
  ctx.synchronize();  // the plan is complete for other contexts too
}

template <class Real>
void PositionDft<Real>::do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
  plan_->forward(ctx, x.data(), y.data(), x.extent(0));
}

template <class Real>
void PositionDft<Real>::do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
  plan_->adjoint(ctx, y.data(), x.data(), y.extent(0));
}

template class PositionDft<float>;
template class PositionDft<double>;

}  // namespace whorl
