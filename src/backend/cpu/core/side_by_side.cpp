// Independent pieces of work, on a CPU: one after another.
#include "kernels/side_by_side.hpp"

namespace whorl::backend::cpu {

namespace {

void side_by_side(const Context& ctx, Index count, Index, const std::function<void(const Context&, Index)>& work) {
  for (Index i = 0; i < count; ++i) work(ctx, i);
}

Index pieces_at_once(const Context&, Index, Index) { return 1; }

}  // namespace

void register_side_by_side() {
  kernels::side_by_side.set(DeviceKind::cpu, side_by_side);
  kernels::pieces_at_once.set(DeviceKind::cpu, pieces_at_once);
}

}  // namespace whorl::backend::cpu
