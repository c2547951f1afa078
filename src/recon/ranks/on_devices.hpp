// A reconstruction on several devices of one process.
#pragma once

#include <functional>
#include <span>

#include "whorl/recon/reconstruct.hpp"

namespace whorl::recon {

/// Each device does the work in a thread of its own, as a rank of the options that it is given. Only the first tells of its progress.
/// If one fails, the others end, and what the first of them threw is thrown.
/// Throws  ValueError (no device; ranks besides)
void on_devices(std::span<const Context> devices, const ReconOptions& options,
                const std::function<void(const Context&, const ReconOptions&)>& work);

/// What each device does of a reconstruction, as a rank of the options.
using DeviceWork = std::function<Reconstruction(const Context&, Scan&&, const ReconOptions&)>;

/// Each device has a thread of its own, and copies of the data that it needs (ReconOptions::frame_data). The result is that of
/// the first. Throws  ValueError (no device), what the work throws
Reconstruction reconstruct_on_devices(std::span<const Context> devices, Scan&& scan, const ReconOptions& options,
                                      const DeviceWork& work);

}  // namespace whorl::recon
