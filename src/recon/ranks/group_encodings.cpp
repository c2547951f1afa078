#include "recon/ranks/group_encodings.hpp"

#include <utility>
#include <vector>

#include "recon/ranks/spread_encoding.hpp"
#include "recon/regularized/regularized_recon.hpp"
#include "whorl/comm/agree.hpp"

namespace whorl::recon {

using Complex = std::complex<float>;

CoilMaps team_maps(Run& run, Share& share, const Shape& all, const std::function<CoilMaps()>& make) {
  CoilMaps found;
  agree_within(share.team(), [&] {
    if (share.leads()) {
      found = make();
    } else {
      found.maps = Array<Complex>(run.ctx, all);
    }
  });
  share.team().broadcast(run.ctx, found.maps, 0);
  return found;
}

Array<Complex> own_maps(const Run& run, const Share& share, Array<Complex>& maps) {
  const CoilRange own = share.coils();
  return share.spreads() ? clone<Complex>(run.ctx, maps.ref().range(own.first, own.first + own.count)) : maps.share();
}

void with_group_encodings(Run& run, Share& share, Encodings& encodings, Array<std::complex<float>>& maps, Index coils,
                          const FrameGroup& group, const GroupWork& work) {
  apply_together(
      run.ctx, share.team(),
      [&] {
        std::vector<EncodingPart> parts;
        parts.push_back(coil_part(frames_encoding(run, group, encodings, maps), group, coils, share.coils()));
        if (group.has_one_trajectory()) {
          parts.push_back(frame_part(run, share, encodings, maps, coils, group.frames.front(), false));
          parts.back().op = for_solver(run, std::move(parts.back().op));
        }
        return parts;
      },
      [&](const std::vector<Operator<float>>& whole) { work(whole.front(), whole.back()); });
}

std::vector<FrameGroup> solved_groups(const Scan& scan, const Share& share, Index together,
                                      const ReconOptions& options) {
  const bool one_by_one = share.spreads() && options.regularized.terms.empty() && options.subspace == nullptr;
  auto groups = frame_groups(scan, share.frames(), one_by_one ? 1 : together, solved_share(options));
  for (FrameGroup& group : groups) {
    group.images = images_of(scan, {group.first, group.first + std::ssize(group.frames)}, options);
  }
  return groups;
}

EncodingPart frame_part(Run& run, const Share& share, Encodings& encodings, Array<std::complex<float>>& maps,
                        Index coils, const ScanFrame& frame, bool known) {
  return coil_part(encodings.encoding(run, frame, maps), frame, coils, share.coils(), known);
}

std::vector<EncodingPart> frame_parts(Run& run, const Share& share, Encodings& encodings,
                                      Array<std::complex<float>>& maps, Index coils, const FrameGroup& group,
                                      const FrameGroup* next) {
  encodings.plan(run, group);
  if (next != nullptr && !share.spreads()) encodings.plan_ahead(run, *next);
  std::vector<EncodingPart> parts;
  for (const ScanFrame& frame : group.frames) {
    parts.push_back(frame_part(run, share, encodings, maps, coils, frame, true));
  }
  return parts;
}

}  // namespace whorl::recon
