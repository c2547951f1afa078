// The library's own gridding as a step, and the steps of a device.
#include <memory>

#include "studies/gridding_2d/step.hpp"
#include "whorl/op/gridding.hpp"

namespace whorl::studies::gridding_2d {

namespace {

using Complex = std::complex<float>;

bool on_gpu(const Context& ctx) { return ctx.device().kind == DeviceKind::cuda; }

}  // namespace

std::vector<Step> steps_on(const Context& ctx) { return on_gpu(ctx) ? gpu_steps() : cpu_steps(); }
std::vector<Step> ways_on(const Context& ctx) { return on_gpu(ctx) ? gpu_ways() : cpu_ways(); }
std::vector<Step> lookups_on(const Context& ctx) { return on_gpu(ctx) ? gpu_lookups() : cpu_lookups(); }

Array<Complex> library_values(const Context& ctx, const Scan& scan) {
  Array<Complex> values(ctx.host(), {1, static_cast<Index>(scan.samples.size())});
  Complex* next = values.data();
  for (const Sample& sample : scan.samples) *next++ = {sample.real, sample.imag};
  return clone(ctx, values.ref());
}

Step library_step(const Context& ctx, const Scan& scan, const Window& window) {
  const Shape shape{scan.grid.y, scan.grid.x};
  const auto gridding = std::make_shared<const Gridding<float>>(ctx, points_of(ctx.host(), scan), shape, window);
  const auto values = std::make_shared<const Array<Complex>>(library_values(ctx, scan));
  return {.name = "gridding",
          .layout = Layout::interleaved,
          .run =
              [gridding, values](const Context& here, const Problem& /*problem*/, ArrayRef<float> grid) {
                const ArrayRef<Complex> complex(reinterpret_cast<Complex*>(grid.data()), gridding->domain(),
                                                grid.device());
                gridding->adjoint(here, *values, complex);
              },
          .product = true};
}

}  // namespace whorl::studies::gridding_2d
