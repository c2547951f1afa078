// Private: scans to which the signal of an object is added in parts.
#pragma once

#include <utility>

#include "whorl/phantom/phantom_scan.hpp"

namespace whorl::detail {

/// What phantom_scan makes of a phantom without its regions: the noise, and all that the scan says.
inline Scan noise_alone(const Context& ctx, Phantom phantom, Scan scan, const PhantomScanOptions& options) {
  phantom.regions.clear();
  return phantom_scan(ctx, phantom, std::move(scan), options);
}

}  // namespace whorl::detail
