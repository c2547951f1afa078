#include "studies/heat/line_steps.hpp"

#include "filter/src/kernels/diffusion/diffusion.hpp"

namespace whorl::studies::heat {

ImplicitRule rule_of(Scheme scheme, double rate) {
  return scheme == Scheme::implicit_euler ? ImplicitRule{rate, 0} : ImplicitRule{rate / 2, 1};
}

Elimination eliminate(Index n, double a) {
  Elimination result;
  double after = 0;
  for (Index i = 0; i < n; ++i) {
    const double pivot = 1 + 2 * a - a * after;
    after = a / pivot;
    result.scale.push_back(1 / pivot);
    result.after.push_back(i + 1 < n ? after : 0);
  }
  return result;
}

Reduction reduce(double a, double precision) {
  Reduction result;
  double diagonal = 1 + 2 * a;
  while (a / diagonal > precision) {
    const double factor = a / diagonal;
    result.factors.push_back(factor);
    diagonal -= 2 * a * factor;
    a *= factor;
  }
  result.scale = 1 / diagonal;
  return result;
}

namespace {

template <class To, class From>
Array<To> converted(const Context& ctx, ArrayRef<const From> from) {
  const Array<From> here = to_host(ctx, from);
  Array<To> values(ctx.host(), here.shape());
  for (Index i = 0; i < here.size(); ++i) values.data()[i] = static_cast<To>(here.data()[i]);
  return clone(ctx, values.ref());
}

void library_line(const Context& ctx, const LineJob& job) {
  const Index n = job.first.size();
  const double a = job.rule.a;
  Array<kernels::LineFactors> factors(ctx.host(), {n});
  double before = a;
  for (kernels::LineFactors& factor : factors.span()) {
    const double sum = 1 + before;
    const double down = sum / (sum + a);
    factor = {static_cast<float>(1 / sum), static_cast<float>(down), 0.0F};
    before = a * down;
  }
  const Array<kernels::LineFactors> there = clone(ctx, factors.ref());
  Array<float> line = converted<float>(ctx, job.first);
  const kernels::LineSteps steps{
      .steps = job.steps, .extrapolation = static_cast<float>(job.rule.beyond), .held = true};
  kernels::diffuse_lines(ctx, {.length = n}, steps, there.data(), line.data());
  copy<double>(ctx, converted<double, float>(ctx, line), job.last);
}

}  // namespace

LineStep library_line_step() { return {"diffuse_lines, one line, float", library_line, true}; }

std::vector<LineStep> line_steps(const Context& ctx) {
  std::vector<LineStep> steps = ctx.device().kind == DeviceKind::cuda ? gpu_line_steps() : host_line_steps();
  steps.push_back(library_line_step());
  return steps;
}

}  // namespace whorl::studies::heat
