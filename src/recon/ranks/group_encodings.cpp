#include "recon/ranks/group_encodings.hpp"

#include <vector>

#include "recon/ranks/spread_encoding.hpp"
#include "recon/regularized/regularized_recon.hpp"

namespace whorl::recon {

void with_group_encodings(Run& run, Share& share, Encodings& encodings, Array<std::complex<float>>& maps, Index coils,
                          const FrameGroup& group, const GroupWork& work) {
  apply_together(
      run.ctx, share.team(),
      [&] {
        std::vector<EncodingPart> parts;
        parts.push_back(coil_part(frames_encoding(run, group, encodings, maps), group, coils, share.coils()));
        if (group.has_one_trajectory()) {
          const ScanFrame& frame = group.frames.front();
          parts.push_back(
              coil_part(encodings.transform(run, frame).of_image(maps.share()), frame, coils, share.coils(), {}));
        }
        return parts;
      },
      [&](const std::vector<Operator<float>>& whole) { work(whole.front(), whole.back()); });
}

}  // namespace whorl::recon
