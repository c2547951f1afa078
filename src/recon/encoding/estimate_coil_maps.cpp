#include "whorl/recon/estimate_coil_maps.hpp"

#include "recon/check_scan.hpp"
#include "recon/encoding/calibrate.hpp"
#include "recon/encoding/encoding.hpp"
#include "recon/field_of_view.hpp"
#include "recon/prepare.hpp"

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
  recon::Run run(ctx);
  recon::prepare(run, scan, options);
  const std::vector<const ScanFrame*> slices = first_frames(scan);
  const auto count = static_cast<Index>(slices.size());
  result.maps =
      Array<std::complex<float>>(ctx.host(), {count, scan.coils, scan.matrix[2], scan.matrix[1], scan.matrix[0]});
  recon::Encodings encodings(scan, options);
  ProgressStage stage(ctx, "coil maps", count);
  for (Index s = 0; s < count; ++s) {
    const ScanFrame& frame = *slices[static_cast<std::size_t>(s)];
    const auto support = recon::support_at(run.ctx, scan, frame, options);
    const recon::CoilMaps found = recon::coil_maps(run, scan, frame, options, encodings, support.get());
    copy<std::complex<float>>(ctx, found.maps, result.maps.slice(s).reshape(found.maps.shape()));
    if (s == 0) run.notes.emplace_back(found.origin);
    result.geometries.push_back(frame.geometry);
    stage.advance();
  }
  result.notes = std::move(run.notes);
  result.stage_seconds = run.take_stages();
  return result;
}

}  // namespace whorl
