#include <array>

#include "studies/energy/part.hpp"

namespace whorl::studies::energy {

namespace {

bool on_gpu(const Context& ctx) { return ctx.device().kind == DeviceKind::cuda; }

int units_of(const Context& ctx) { return on_gpu(ctx) ? multiprocessors_of(ctx) : ctx.threads(); }

}  // namespace

std::string unit_name(const Context& ctx) { return on_gpu(ctx) ? "multiprocessors" : "threads"; }

std::vector<int> part_sizes(const Context& ctx) {
  const int all = units_of(ctx);
  std::vector<int> sizes{all};
  if (on_gpu(ctx)) {
    // 16 and 2 are those of the paper's two GPUs.
    for (const int size : std::array{64, 32, 16, 8, 2}) {
      if (size < all) sizes.push_back(size);
    }
  } else {
    while (sizes.back() > 1) sizes.push_back(sizes.back() / 2);
  }
  return sizes;
}

Part part_of(const Context& ctx, int units) {
  if (units == units_of(ctx)) return {{}, ctx, units};
  if (on_gpu(ctx)) return part_of_gpu(ctx, units);
  const Context few({.threads = units});
  return {{}, few.with(ctx.cancel_token()), units};
}

}  // namespace whorl::studies::energy
