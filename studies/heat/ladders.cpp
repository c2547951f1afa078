#include "studies/heat/ladders.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "studies/heat/adi_steps.hpp"

namespace whorl::studies::heat {

namespace {

/// The start, work arrays and reference of all steps of a ladder.
template <class Real>
struct Trial {
  Trial(Context context, const Setting& setting, Scheme scheme)
      : ctx(std::move(context)),
        expected(temperature(ctx.host(), setting, discrete_decay(setting, scheme))),
        last(ctx, expected.shape()) {
    const Array<double> wide = first_temperature(ctx.host(), setting);
    Array<Real> narrow(ctx.host(), wide.shape());
    for (Index i = 0; i < wide.size(); ++i) narrow.data()[i] = static_cast<Real>(wide.data()[i]);
    first = clone(ctx, narrow.ref());
  }
  double error() const { return relative_error(to_host(ctx, last.ref()), expected); }

  Context ctx;
  Array<double> expected;
  Array<Real> first;
  Array<Real> last;
};

double visits(const Setting& setting) {
  return static_cast<double>(setting.points()) * static_cast<double>(setting.steps);
}

Ladder plane_ladder(const Context& ctx, const Setting& setting, Scheme scheme, const std::vector<PlaneStep>& steps) {
  const auto trial = std::make_shared<Trial<float>>(ctx, setting, scheme);
  Ladder ladder;
  ladder.error = "rounding error";
  ladder.bytes = 2 * sizeof(float) * visits(setting);
  for (const PlaneStep& step : steps) {
    const auto run = [trial, setting, step] {
      step.run(trial->ctx, {trial->first, trial->last, setting.n, static_cast<float>(setting.rate), setting.steps});
    };
    ladder.steps.push_back(
        {.name = step.name, .run = run, .error = [trial] { return trial->error(); }, .product = step.product});
  }
  return ladder;
}

}  // namespace

Ladder explicit_ladder(const Context& ctx, const Setting& setting) {
  Ladder ladder = plane_ladder(ctx, setting, Scheme::explicit_euler, plane_steps(ctx));
  ladder.name = "explicit_plane";
  ladder.title = fmt::format("{} explicit steps of {} x {} points", setting.steps, setting.n, setting.n);
  // Four additions and subtractions of neighbors and the point, two products, one sum.
  ladder.flops = 7 * visits(setting);
  ladder.steps.front().published = {"heat", "0.913 x at best"};
  return ladder;
}

Ladder adi_ladder(const Context& ctx, const Setting& setting) {
  Ladder ladder = plane_ladder(ctx, setting, Scheme::crank_nicolson, adi_steps(ctx));
  ladder.name = "implicit_plane";
  ladder.title = fmt::format("{} implicit steps of {} x {} points", setting.steps, setting.n, setting.n);
  // Along each of two axes: two products and a sum upwards, a product and a sum downwards, a product and a difference.
  ladder.flops = 2 * 7 * visits(setting);
  return ladder;
}

Ladder line_ladder(const Context& ctx, const Setting& setting) {
  const auto trial = std::make_shared<Trial<double>>(ctx, setting, Scheme::crank_nicolson);
  Ladder ladder{.name = "implicit_line",
                .title = fmt::format("{} implicit steps of {} points on a line", setting.steps, setting.n),
                .error = "rounding error",
                .bytes = 2 * sizeof(double) * visits(setting),
                .flops = 7 * visits(setting)};
  const ImplicitRule rule = rule_of(Scheme::crank_nicolson, setting.rate);
  for (const LineStep& step : line_steps(ctx)) {
    const auto run = [trial, setting, rule, step] {
      step.run(trial->ctx, {trial->first, trial->last, rule, setting.steps});
    };
    ladder.steps.push_back(
        {.name = step.name, .run = run, .error = [trial] { return trial->error(); }, .product = step.product});
  }
  return ladder;
}

}  // namespace whorl::studies::heat
