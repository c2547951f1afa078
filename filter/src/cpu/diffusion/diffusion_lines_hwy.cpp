// Loops that the compiler vectorizes, once for each instruction set, without fused operations (CMakeLists.txt).
#include "backend/cpu/simd_targets.hpp"
#include "core/parallel.hpp"
#include "filter/src/cpu/diffusion/diffusion_rows.hpp"
#include "filter/src/kernels/diffusion/diffusion.hpp"
#include "whorl/core/integer.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "filter/src/cpu/diffusion/diffusion_lines_hwy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace whorl::backend::cpu::HWY_NAMESPACE {

// All steps of `together` lines, which are interleaved in `u`; fewer steps if a stop is requested.
void step_block(const Context& ctx, const kernels::LineSteps& steps, const kernels::LineFactors* factors, Index length,
                float* HWY_RESTRICT u, float* HWY_RESTRICT w) {
  for (Index step = 0; step < steps.steps && !ctx.cancel_requested(); ++step) {
    float last[together] = {};
    for (Index i = 0; i < length; ++i) {
      const float up = factors[i].up;
      for (Index lane = 0; lane < together; ++lane) {
        last[lane] = last[lane] + up * (u[i * together + lane] - last[lane]);
        w[i * together + lane] = last[lane];
      }
    }
    std::fill(last, last + together, 0.0F);
    if (steps.correction == 0) {
      for (Index i = length - 1; i >= 0; --i) {
        const float down = factors[i].down;
        for (Index lane = 0; lane < together; ++lane) {
          last[lane] = last[lane] + down * (w[i * together + lane] - last[lane]);
          u[i * together + lane] = last[lane] + steps.extrapolation * (last[lane] - u[i * together + lane]);
        }
      }
      continue;
    }
    // The other end of the solution comes first.
    for (Index i = length - 1; i >= 0; --i) {
      const float down = factors[i].down;
      for (Index lane = 0; lane < together; ++lane) {
        last[lane] = last[lane] + down * (w[i * together + lane] - last[lane]);
        w[i * together + lane] = last[lane];
      }
    }
    float ends[together];
    for (Index lane = 0; lane < together; ++lane) {
      ends[lane] = steps.correction * (w[lane] + w[(length - 1) * together + lane]);
    }
    for (Index i = 0; i < length; ++i) {
      const float share = factors[i].ring;
      for (Index lane = 0; lane < together; ++lane) {
        const float solved = w[i * together + lane] + share * ends[lane];
        u[i * together + lane] = solved + steps.extrapolation * (solved - u[i * together + lane]);
      }
    }
  }
}

// Solves lines [first, first + together), as many as there are.
void solve_block(const Context& ctx, const kernels::Lines& lines, const kernels::LineSteps& steps,
                 const kernels::LineFactors* factors, Index first, float* image, float* block) {
  const Index count = std::min(together, lines.outer * lines.inner - first);
  float* starts[together];
  float firsts[together] = {};
  for (Index lane = 0; lane < count; ++lane) {
    const Index line = first + lane;
    starts[lane] = image + line / lines.inner * lines.length * lines.inner + line % lines.inner;
    if (!steps.held) firsts[lane] = *starts[lane];
  }
  for (Index i = 0; i < lines.length; ++i) {
    for (Index lane = 0; lane < count; ++lane)
      block[i * together + lane] = starts[lane][i * lines.inner] - firsts[lane];
    for (Index lane = count; lane < together; ++lane) block[i * together + lane] = 0;
  }
  step_block(ctx, steps, factors, lines.length, block, block + lines.length * together);
  for (Index i = 0; i < lines.length; ++i) {
    for (Index lane = 0; lane < count; ++lane)
      starts[lane][i * lines.inner] = block[i * together + lane] + firsts[lane];
  }
}

}  // namespace whorl::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whorl::backend::cpu {

HWY_EXPORT(solve_block);

namespace {

void diffuse_lines(const Context& ctx, const kernels::Lines& lines, const kernels::LineSteps& steps,
                   const kernels::LineFactors* factors, float* image) {
  const Index blocks = divide_up(lines.outer * lines.inner, together);
  detail::parallel_threads(ctx, ctx.threads(), blocks, [&](const auto& turns) {
    std::vector<float> block(static_cast<std::size_t>(2 * lines.length * together));
    turns([&](Index at) {
      HWY_DYNAMIC_DISPATCH(solve_block)(ctx, lines, steps, factors, at * together, image, block.data());
    });
  });
}

}  // namespace

void register_diffusion_lines() { kernels::diffuse_lines.set(DeviceKind::cpu, diffuse_lines); }

}  // namespace whorl::backend::cpu
#endif
