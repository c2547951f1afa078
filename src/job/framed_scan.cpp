#include "job/framed_scan.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "job/inputs.hpp"
#include "job/joint_pose.hpp"
#include "job/outputs/outputs.hpp"
#include "job/shared_reading.hpp"
#include "whorl/core/error.hpp"
#include "whorl/correct/align_scan.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/io/reference_file.hpp"
#include "whorl/job/scan_names.hpp"
#include "whorl/scan/frame_options.hpp"
#include "whorl/scan/sample_weights.hpp"
#include "whorl/trajectory/gradient_limits.hpp"

namespace whorl::job {

namespace {

// The weights of the samples, after the frames were made: the scan's own, given ones, or none.
std::shared_ptr<const SampleWeights> sample_weights(const Context& ctx, const FrameRequest& request, Scan& scan) {
  if (request.weights.given()) return weigh_samples(ctx, scan, *array_from<double>(ctx, request.weights));
  if (scan.sample_weights.size() == 0) return nullptr;
  const Array<double> own = std::move(scan.sample_weights);
  return weigh_samples(ctx, scan, own);
}

// The Larmor frequency for the concomitant field, if it is to be corrected.
void settle_field(const SignalRequest& request, const MeasurementFacts& facts, SignalOptions& options) {
  if (!request.concomitant) return;
  const double tesla = request.field_strength_t > 0 ? request.field_strength_t : facts.field_strength_t;
  options.larmor_mhz = tesla * gyromagnetic_ratio("1H");
  if (tesla > 0) return;
  if (!(facts.resonance_hz > 0)) {
    throw ValueError("concomitant field: the scan does not say the main field; give it in T (--field-strength)");
  }
  options.larmor_mhz = 1e-6 * facts.resonance_hz;
}

// One further scan, by the request that it has for itself.
JointScan joint_scan(const Context& ctx, ReconRequest own, const FirstScan& first) {
  read_signal_maps(ctx, own);
  MeasurementFacts facts;
  Scan whole = own.scan.value != nullptr ? clone(ctx, *own.scan.value) : read_file(ctx, own, facts);
  FramedScan made = framed_scan(ctx, own, std::move(whole), facts, own.recon.resources.spill.data_in_file, &first);
  auto scan = std::make_shared<Scan>(std::move(made.framed.scan));
  if (made.moved && own.maps.given()) {
    throw ValueError(
        fmt::format("'{}' lies at another place than '{}', and its coil maps, '{}', are those of its own "
                    "place; estimate them (espirit)",
                    scan->source, first.scan.source, own.maps.name()));
  }
  if (own.maps.given()) scan->coil_maps = maps_from(ctx, own.maps, *scan);
  return {std::move(scan), std::move(own.recon.signal)};
}

}  // namespace

Scan read_file(const Context& ctx, ReconRequest& request, MeasurementFacts& facts) {
  request.read.data_memory = data_memory(ctx, request.recon.resources.spill);
  if (needs_facts(request)) request.read.facts = std::make_shared<MeasurementFacts>();
  Scan scan = read_scan(ctx, request.scan.file, request.read);
  if (request.read.facts != nullptr) facts = std::move(*request.read.facts);
  return scan;
}

FramedScan framed_scan(const Context& ctx, ReconRequest& request, Scan whole, const MeasurementFacts& facts,
                       bool data_in_file, const FirstScan* first) {
  ReconOptions& recon = request.recon;
  FramedScan made;
  settle_field(request.signal, facts, recon.signal);
  made.corrected = correct(ctx, request.corrections, whole, recon.signal.dwell_us);
  if (!recon.signal.changes()) recon.signal.dwell_us.reset();  // it was for the gradients
  const FrameOptions& frames = request.frames.frames;
  const Context frame_memory = data_in_file && frames.any()
                                   ? ctx.spilled(recon.resources.spill.folder)
                                   : memory_of_frames(ctx, whole, frames, recon.resources.spill);
  made.framed = make_frames(frame_memory, std::move(whole), frames);
  // Weights belong to the trajectories that the scan has in the end.
  if (first != nullptr) {
    made.moved = align_scan(first->scan, made.framed.scan);
    if (first->image) undo_joint_pose(ctx, *first->image, made.framed.scan);
  }
  recon.signal.weights = sample_weights(ctx, request.frames, made.framed.scan);
  return made;
}

void read_signal_maps(const Context& ctx, ReconRequest& request) {
  SignalOptions& signal = request.recon.signal;
  signal.field_map = image_from(ctx, request.signal.field_map, &read_map);
  signal.r2_star = image_from(ctx, request.signal.r2_star, &read_map);
}

void name_after_scan(ReconRequest& request, const FileOr<Scan>& scan) {
  const std::string name = source_of(scan);
  Corrections& wanted = request.corrections;
  for (std::string* file :
       {&request.maps.file, &request.signal.field_map.file, &request.signal.r2_star.file, &request.frames.weights.file,
        &wanted.motion.file, &wanted.readout_shifts.file, &wanted.response.file}) {
    *file = with_scan_name(*file, name);
  }
}

std::vector<JointScan> read_joint_scans(const Context& ctx, const ReconRequest& request, const Scan& first,
                                        Notes& notes) {
  FirstScan place{first};
  if (request.align_joint) place.image = first_image(ctx, first);
  std::vector<JointScan> scans;
  for (const FileOr<Scan>& one : request.joint) {
    ReconRequest own = request;
    own.scan = one;
    own.joint.clear();
    name_after_scan(own, one);
    scans.push_back(joint_scan(ctx, std::move(own), place));
    const Scan& scan = *scans.back().scan;
    for (const Note& note : scan.notes) notes.emplace_back(with_name(name_of_joined(scan), note));
  }
  return scans;
}

}  // namespace whorl::job
