#include "cli/recon/shared_reading.hpp"

#include <memory>
#include <utility>

#include "whorl/core/mapped_array.hpp"
#include "whorl/recon/shared_frames.hpp"
#include "whorl/recon/subspace.hpp"

namespace whorl::cli {

std::function<Array<std::complex<float>>(const Shape&, Index)> data_memory(const Context& host, SpillOptions& spill) {
  const auto most = static_cast<Index>(host.pool().limit() / 2);
  return [host, most, &spill](const Shape& data, Index all_bytes) {
    if (all_bytes <= most && !spill.data_in_file) return Array<std::complex<float>>(host, data);
    spill.data_in_file = true;
    return mapped_array<std::complex<float>>(temporary_folder(spill.folder), data);
  };
}

void share_frames(ReconRequest& request, const Session& session) {
  if (session.ranks->size() == 1) return;
  request.recon.ranks = session.ranks;
  const bool hashes_all = session.writes() && !request.checkpoint.empty();
  if (request.place.needs_data() || hashes_all || request.frames.frames.any() || request.frames.frames.gating.soft > 0)
    return;
  if (request.subspace.any()) {
    request.read.frames_with_data = [ranks = session.ranks, recon = request.recon](const Scan& scan) {
      return subspace_frames_read_by(*ranks, scan, recon);
    };
    return;
  }
  switch (needed_data(request.recon)) {
    case NeededData::all:
      return;
    case NeededData::by_index:
      request.read.frames_with_data = [ranks = session.ranks, recon = request.recon](const Scan& scan) {
        return frames_read_by(*ranks, scan, recon);
      };
      return;
    case NeededData::by_trajectory:
      request.read.later = std::make_shared<FrameData>();
  }
}

void read_later(const Context& host, FrameData read, const Scan& scan, ReconOptions& recon) {
  recon.frame_data = std::move(read);
  Index samples = 0;
  for (const ScanFrame& frame : scan.frames) samples += frame.trajectory->samples();
  const Index bytes = scan.coils * samples * static_cast<Index>(sizeof(std::complex<float>));
  recon.spill.data_in_file = bytes > static_cast<Index>(host.pool().limit() / 2);
}

}  // namespace whorl::cli
