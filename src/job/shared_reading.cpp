#include "job/shared_reading.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "whorl/comm/agree.hpp"
#include "whorl/core/integer.hpp"
#include "whorl/core/mapped_array.hpp"
#include "whorl/recon/shared_frames.hpp"
#include "whorl/recon/subspace_basis.hpp"

namespace whorl::job {

namespace {

Index data_bytes(const Scan& scan) {
  return scan.coils * scan.samples() * static_cast<Index>(sizeof(std::complex<float>));
}

// The positions of frames that this process does not solve have no use: nothing takes those of all.
bool needs_own_positions(const ReconRequest& request) {
  const bool changed = request.corrections.any() || !request.read.trajectory_from.empty();
  const bool weighed = request.frames.weights.given();
  const bool normal = request.normal.given() || !request.outputs.normal.empty();
  return !changed && !weighed && !normal && !request.signal.any();
}

bool needs_all_data(const ReconRequest& request) {
  return request.corrections.needs_data() || request.frames.frames.any() || request.frames.frames.gating.soft > 0;
}

std::vector<FrameRead> parts_of(const FramesRead& frames, bool own_positions) {
  std::vector<FrameRead> parts;
  for (std::size_t f = 0; f < frames.data.size(); ++f) {
    const bool placed = !own_positions || frames.positions[f];
    parts.push_back(frames.data[f] ? FrameRead::all : placed ? FrameRead::positions : FrameRead::nothing);
  }
  return parts;
}

}  // namespace

std::function<Array<std::complex<float>>(const Shape&, Index)> data_memory(const Context& host, SpillOptions& spill) {
  const auto most = static_cast<Index>(host.spill_room());
  return [host, most, &spill](const Shape& data, Index all_bytes) {
    if (all_bytes <= most && !spill.data_in_file) return Array<std::complex<float>>(host, data);
    spill.data_in_file = true;
    return mapped_array<std::complex<float>>(temporary_folder(spill.folder), data);
  };
}

Context memory_of_frames(const Context& host, const Scan& scan, const FrameOptions& frames, SpillOptions& spill) {
  if (!frames.any()) return host;
  const Index overlap = frames.step > 0 ? divide_up(frames.readouts, frames.step) : 1;
  const Index bytes = data_bytes(scan);
  const Index there = spill.data_in_file ? 0 : bytes;
  spill.data_in_file = there + overlap * bytes > static_cast<Index>(host.spill_room());
  return spill.data_in_file ? host.spilled(spill.folder) : host;
}

void share_frames(ReconRequest& request, const std::shared_ptr<Communicator>& ranks) {
  if (ranks->size() == 1) return;
  request.recon.resources.ranks = ranks;
  if (request.dry_run || needs_all_data(request)) return;
  ScanReadOptions& read = request.read;
  const bool hashes_all = ranks->rank() == 0 && !request.checkpoint.empty();
  if (request.subspace.any()) {
    // Only the presence of a subspace decides, not its basis.
    ReconOptions recon = request.recon;
    recon.subspace = std::make_shared<const SubspaceBasis>();
    read.frames_to_read = [ranks, recon = std::move(recon)](const Scan& scan) {
      const std::vector<bool> own = frames_read_by(*ranks, scan, recon).data;
      return parts_of({own, own}, false);
    };
    return;
  }
  if (groups_by_trajectory(request.recon)) {
    if (!hashes_all) read.later = std::make_shared<FrameData>();
    return;
  }
  const bool own_positions = needs_own_positions(request);
  if (own_positions) {
    read.largest_of_all = [ranks](std::span<double> values) {
      agree(*ranks, [] {});  // a process that failed before is not in the next call
      take_largest(*ranks, values);
    };
  }
  if (hashes_all) return;
  read.frames_to_read = [ranks, recon = request.recon, own_positions](const Scan& scan) {
    return parts_of(frames_read_by(*ranks, scan, recon), own_positions);
  };
}

void read_later(const Context& host, FrameData read, const Scan& scan, ReconOptions& recon) {
  recon.resources.frame_data = std::move(read);
  recon.resources.spill.data_in_file = data_bytes(scan) > static_cast<Index>(host.spill_room());
}

}  // namespace whorl::job
