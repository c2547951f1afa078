// Choice of the data of a scan that a process reads, and of the memory that it reads them into.
#pragma once

#include <complex>
#include <functional>
#include <memory>

#include "whorl/comm/communicator.hpp"
#include "whorl/core/array.hpp"
#include "whorl/job/request.hpp"
#include "whorl/scan/frame_data.hpp"
#include "whorl/scan/frame_options.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::job {

/// Samples that would take more than half of the host's memory are read into a file; `spill` says so then.
std::function<Array<std::complex<float>>(const Shape&, Index)> data_memory(const Context& host, SpillOptions& spill);

/// For frames that are made of a scan's data, beside these: arrays lie in files where both would take more than half of the
/// host's memory; `spill` says so then.
Context memory_of_frames(const Context& host, const Scan& scan, const FrameOptions& frames, SpillOptions& spill);

/// The reconstruction of several processes: each reads the data that it needs, where no step before needs those of all.
void share_frames(ReconRequest& request, const std::shared_ptr<Communicator>& ranks);

/// The data that this process needs are read by `read` once the reconstruction knows which. They lie in a file if those of all
/// would take more than half of the host's memory: which they are is known after the memory is planned.
void read_later(const Context& host, FrameData read, const Scan& scan, ReconOptions& recon);

}  // namespace whorl::job
