#include "recon/memory_needs.hpp"

#include <algorithm>
#include <limits>

namespace whorl::recon {

const ScanFrame& largest_frame(const Scan& scan) {
  return *std::max_element(scan.frames.begin(), scan.frames.end(), [](const ScanFrame& a, const ScanFrame& b) {
    return a.trajectory->samples() < b.trajectory->samples();
  });
}

Index usable_memory(const Context& ctx) {
  const auto limit = static_cast<Index>(ctx.pool().limit());
  return limit - limit / 10;
}

Index room_for_solver(const Context& ctx) {
  if (ctx.device().kind == DeviceKind::cpu) return std::numeric_limits<Index>::max();
  return static_cast<Index>(ctx.spilled().pool().limit());
}

Index coils_used(const Scan& scan, const ReconOptions& options) {
  return options.virtual_coils > 0 ? std::min(options.virtual_coils, scan.coils) : scan.coils;
}

}  // namespace whorl::recon
