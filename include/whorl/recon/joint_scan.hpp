// A further scan of the object that a reconstruction makes an image of.
#pragma once

#include <memory>

#include "whorl/recon/signal_options.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Beside the scan of the call: with receivers, trajectory, noise and maps of its own, at the same place (align_scan).
struct JointScan {
  std::shared_ptr<const Scan> scan;  ///< stays as it is
  SignalOptions signal{};            ///< in the place of ReconOptions::signal
};

}  // namespace whorl
