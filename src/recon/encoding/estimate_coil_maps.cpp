#include "whorl/recon/estimate_coil_maps.hpp"

#include "recon/bring_to_device.hpp"
#include "recon/check_scan.hpp"
#include "recon/encoding/calibrate.hpp"
#include "recon/encoding/encoding.hpp"
#include "whorl/scan/prepare.hpp"

namespace whorl {

namespace {

// The first frame of each slice; frames are sorted by slice first.
std::vector<const ScanFrame*> first_frames(const Scan& scan) {
  std::vector<const ScanFrame*> first;
  for (const ScanFrame& frame : scan.frames) {
    if (first.empty() || first.back()->index.slice != frame.index.slice) first.push_back(&frame);
  }
  return first;
}

}  // namespace

EstimatedCoilMaps estimate_coil_maps(const Context& ctx, Scan scan, const ReconOptions& options) {
  recon::check_scan(scan, options);
  EstimatedCoilMaps result;
  recon::StageClock clock(ctx);
  recon::bring_to_device(ctx, scan);
  if (options.prewhiten) clock.time("prewhitening", [&] { prewhiten(ctx, scan, result.notes); });
  if (options.virtual_coils > 0 && options.virtual_coils < scan.coils) {
    clock.time("coil compression",
               [&] { compress_coils(ctx, scan, {.virtual_coils = options.virtual_coils}, result.notes); });
  }
  const std::vector<const ScanFrame*> slices = first_frames(scan);
  const auto count = static_cast<Index>(slices.size());
  result.maps =
      Array<std::complex<float>>(ctx.host(), {count, scan.coils, scan.matrix[2], scan.matrix[1], scan.matrix[0]});
  recon::Encodings encodings(scan, options);
  ProgressStage stage(ctx, "coil maps", count);
  for (Index s = 0; s < count; ++s) {
    const ScanFrame& frame = *slices[static_cast<std::size_t>(s)];
    std::vector<std::string> said;
    const auto maps = recon::coil_maps(ctx, scan, frame, options, encodings, clock, said);
    copy<std::complex<float>>(ctx, maps, result.maps.slice(s).reshape(maps.shape()));
    if (s == 0) result.notes.insert(result.notes.end(), said.begin(), said.end());
    result.geometries.push_back(frame.geometry);
    stage.advance();
  }
  result.stage_seconds = clock.take();
  return result;
}

}  // namespace whorl
