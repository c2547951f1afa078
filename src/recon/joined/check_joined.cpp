#include "recon/joined/check_joined.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "whorl/core/error.hpp"
#include "whorl/correct/align_scan.hpp"

namespace whorl::recon {

namespace {

// Options that work with the data of one scan alone.
void check_options_of_joined(const ReconOptions& options) {
  const bool by_others = options.coil_maps == CoilMapMethod::walsh || options.coil_maps == CoilMapMethod::nlinv;
  const std::array<std::pair<bool, const char*>, 6> refused{{
      {by_others, "coil maps by walsh and nlinv; use espirit, or maps that came with the scans"},
      {options.subspace != nullptr, "a subspace"},
      {options.resources.normals != nullptr || options.keep_normals, "a saved normal operator"},
      {options.certified_samples > 0, "a certificate"},
      {options.error_bars.g_factor, "the g-factor; take the standard deviation"},
      {options.resources.ranks != nullptr && options.resources.ranks->size() > 1,
       "several processes or GPUs; start one"},
  }};
  for (const auto& [given, what] : refused) {
    if (given) throw ValueError(fmt::format("joint scans: are not for {}", what));
  }
}

void check_place(const Scan& first, const Scan& scan) {
  const auto order = order_of_frames(first, scan);
  bool alike = scan.matrix == first.matrix;
  for (std::size_t f = 0; f < order.size(); ++f) {
    alike = alike && scan.frames[order[f]].geometry == first.frames[f].geometry;
  }
  if (alike) return;
  throw ValueError(
      fmt::format("joint scans: {} has another matrix, field of view or place than {}; move it there by align_scan",
                  scan.source.empty() ? "a scan" : scan.source, first.source.empty() ? "the first" : first.source));
}

}  // namespace

ReconOptions options_of(const ReconOptions& all, const JointScan& scan) {
  ReconOptions own = all;
  own.joint.clear();
  own.resources.plans = nullptr;
  own.signal = scan.signal;
  return own;
}

void check_joined(const Scan& scan, const ReconOptions& options) {
  if (options.joint.empty()) return;
  check_options_of_joined(options);
  for (const JointScan& one : options.joint) {
    if (one.scan == nullptr) throw ValueError("joint scans: an empty pointer, expected a scan");
    check_place(scan, *one.scan);
  }
}

}  // namespace whorl::recon
