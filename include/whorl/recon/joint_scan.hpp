// A further scan of the object that a reconstruction makes an image of.
#pragma once

#include <memory>

#include "whorl/recon/signal_options.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// A further scan of a joint reconstruction: with receivers, trajectory, noise and maps of its own, at the place of the first
/// (align_scan).
struct JointScan {
  std::shared_ptr<const Scan> scan;  ///< stays as it is
  SignalOptions signal{};            ///< in the place of ReconOptions::signal
};

}  // namespace whorl
