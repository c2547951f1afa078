#include "whorl/job/request.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "job/some_options.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/file_parts.hpp"
#include "whorl/io/option_tables.hpp"
#include "whorl/job/scan_names.hpp"
#include "whorl/recon/option_tables.hpp"
#include "whorl/recon/usual_lambda.hpp"

namespace whorl {

namespace {

// Texts of --delays, --k-shift and --shift-fov: numbers, or a word.
OptionDescriptor numbers_or(const char* name, const char* summary, std::vector<std::string> words, std::size_t most) {
  return {.name = name,
          .summary = summary,
          .choices = std::move(words),
          .type = OptionType::numbers,
          .least_values = 2,
          .most_values = most};
}

std::vector<double> numbers_of(const OptionValue& value) {
  const auto* numbers = std::get_if<std::vector<double>>(&value);
  return numbers != nullptr ? *numbers : std::vector<double>();
}

bool is_dictionary(const SubspaceRequest& request) {
  return request.from == SubspaceSource::t2 || request.from == SubspaceSource::t1;
}

bool weighs_samples(const ReconRequest& request) {
  return request.frames.weighs_samples() ||
         (request.scan.value != nullptr && request.scan.value->sample_weights.size() > 0);
}

void settle_regularizers(const ReconRequest& request) {
  if (request.recon.regularized.terms.empty()) return;
  if (request.lambda.method) {
    throw ValueError(
        "--lambda: a method chooses it, expected a number with --regularize; the weight of a term is chosen by the "
        "term, such as tv:auto");
  }
  try {
    static_cast<void>(
        solver_for(request.recon.regularized.solver, request.recon.regularized.terms, has_support(request.recon)));
  } catch (const ValueError& error) {
    throw ValueError(fmt::format("--solver: {}", error.what()));
  }
}

// Choices that are in no table.
void check_effects(const ReconRequest& request) {
  const ReconOptions& recon = request.recon;
  const bool is_cg_sense = recon.method == ReconMethod::cg_sense;
  if (!request.references.empty() && !(is_cg_sense && (recon.cg_sense.lambda > 0 || recon.cg_sense.lambda_search))) {
    throw ValueError("--prior applies only with cg-sense and a lambda above 0");
  }
  if (!request.point_spreads.empty() && !(is_cg_sense && recon.regularized.terms.empty())) {
    throw ValueError("--psf applies only with cg-sense without --regularize");
  }
}

// Results of one scan, and what cannot tell scans in memory from others.
void check_joint(const ReconRequest& request) {
  if (request.joint.empty()) return;
  const ReconOutputs& outputs = request.outputs;
  if (!outputs.motion.empty() || !outputs.readout_shifts.empty() || !outputs.gating.empty()) {
    throw ValueError(
        "--joint: motion, shifts of readouts and the gating signal are those of one scan; save them apart");
  }
  const bool in_memory = std::ranges::any_of(request.joint, [](const auto& scan) { return scan.value != nullptr; });
  if (!request.checkpoint.empty() && in_memory) {
    throw ValueError("--checkpoint: tells joint scans apart by their files; give files, or leave it out");
  }
}

}  // namespace

template <>
const OptionTable<Corrections>& option_table<Corrections>() {
  using Wanted = Corrections;
  static const OptionTable<Wanted> table =
      OptionTable<Wanted>("corrections")
          .group("Trajectory")
          .text("girf", &Wanted::response,
                "Impulse response of the gradients: arrays frequency_hz, response and field of this file (.npz, .h5, "
                ".mat); samples are moved to where it plays them (docs/howto/gradients.md)")
          .reads_file()
          .part(&Wanted::lead)
          .when("--girf", [](const Wanted& wanted) { return wanted.response.given(); })
          .custom(
              numbers_or("delays",
                         "Delays of the gradients in samples of the readout: those by which samples are farther along "
                         "than nominal (docs/howto/gradients.md); auto: from the data",
                         {"auto"}, 6),
              [](const Wanted& wanted) -> OptionValue {
                if (wanted.find_delays) return "auto";
                return wanted.delays;
              },
              [](Wanted& wanted, const OptionValue& value) {
                wanted.delays = numbers_of(value);
                wanted.find_delays = wanted.delays.empty();
              })
          .text("motion", &Wanted::motion,
                "Undo rigid motion: rows of this array file (or FILE:NAME), one for each readout or for each group of "
                "equally many; in 2D x, y, angle, in 3D x, y, z and the angles about them, in mm and degrees "
                "(docs/howto/motion.md)")
          .reads_file()
          .integer("estimate-motion", &Wanted::motion_readouts, {0, 1000000}, "",
                   "Estimate where the object lies during each group of this many readouts, from the center of "
                   "k-space, and undo it (0: no)")
          .when("unknown motion (no --motion)", [](const Wanted& wanted) { return !wanted.motion.given(); })
          .custom(
              numbers_or("k-shift",
                         "Where the center of k-space lies along x, y and z, in cycles per field of view; it is moved "
                         "to 0; auto: from the data; readouts: from the data, that of each readout first",
                         {"auto", "readouts"}, 3),
              [](const Wanted& wanted) -> OptionValue {
                if (wanted.find_k_shift) return wanted.find_readout_shifts ? "readouts" : "auto";
                return wanted.k_shift;
              },
              [](Wanted& wanted, const OptionValue& value) {
                wanted.k_shift = numbers_of(value);
                wanted.find_k_shift = wanted.k_shift.empty();
                wanted.find_readout_shifts = value == OptionValue("readouts");
              })
          .text("readout-shifts", &Wanted::readout_shifts,
                "Where the center of k-space lies in each readout: rows x, y(, z) of this array file (or FILE:NAME), "
                "in cycles per field of view; it is moved to 0")
          .reads_file()
          .when("known shifts (no --k-shift readouts)",
                [](const Wanted& wanted) { return !wanted.find_readout_shifts; })
          .custom(
              numbers_or("shift-fov",
                         "Move the center of the images by this many pixels along x, y and z, for objects off center; "
                         "header: to the position of the header, for data about the isocenter",
                         {"header"}, 3),
              [](const Wanted& wanted) -> OptionValue {
                if (wanted.fov_to_header) return "header";
                return wanted.fov_shift;
              },
              [](Wanted& wanted, const OptionValue& value) {
                wanted.fov_shift = numbers_of(value);
                wanted.fov_to_header = wanted.fov_shift.empty();
              });
  return table;
}

template <>
const OptionTable<FrameRequest>& option_table<FrameRequest>() {
  const auto& frames = option_table<FrameOptions>();
  static const OptionTable<FrameRequest> table =
      OptionTable<FrameRequest>("frames")
          .group("Frames")
          .part(&FrameRequest::frames, {}, job::SomeOptions::but(frames, {"readout-interval"}))
          .part(&FrameRequest::frames, {}, job::SomeOptions::only(frames, {"readout-interval"}))
          .when("--spokes-per-frame, --gate or --soft-gate",
                [](const FrameRequest& request) {
                  const FrameOptions& made = request.frames;
                  return made.readouts > 0 || made.gating.bins > 0 || made.gating.soft > 0;
                })
          .text("gate-weights", &FrameRequest::weights,
                "How much each readout (or sample) counts in least squares: the inverse variance of its noise, "
                "numbers of this array file (or FILE:NAME) in the order of the frames that are reconstructed "
                "(docs/howto/motion.md)")
          .reads_file();
  return table;
}

template <>
const OptionTable<SubspaceRequest>& option_table<SubspaceRequest>() {
  using Subspace = SubspaceRequest;
  static const OptionTable<Subspace> table =
      OptionTable<Subspace>("subspace")
          .group("Subspace (cg-sense)")
          .text("subspace", &Subspace::basis,
                "Reconstruct the frames as sums of a few courses: a basis [frame, component] of this file (or "
                "FILE:NAME). The images are then those of the components")
          .reads_file()
          .choice("subspace-from", &Subspace::from,
                  {{"none", SubspaceSource::none},
                   {"t2", SubspaceSource::t2},
                   {"t1", SubspaceSource::t1},
                   {"frames", SubspaceSource::frames}},
                  "Make the basis: from exp(-t/T2), from 1 - 2 exp(-t/T1), or from the frames at low resolution")
          .when("no --subspace", [](const Subspace& request) { return !request.basis.given(); })
          .integer("subspace-rank", &Subspace::rank, {1, 32}, "", "Components of the basis")
          .when("a subspace", [](const Subspace& request) { return request.any(); })
          .list("relaxation", &Subspace::relaxation_ms, 2, 2, OptionRange::more_than(0), "ms",
                "Shortest and longest T2 or T1 of the signals")
          .when("--subspace-from t2 or t1", &is_dictionary)
          .integer("subspace-resolution", &Subspace::resolution, {4, 256}, "points",
                   "Extent of the frames that make a basis, along each axis")
          .when("--subspace-from frames",
                [](const Subspace& request) { return request.from == SubspaceSource::frames; });
  return table;
}

template <>
const OptionTable<SignalRequest>& option_table<SignalRequest>() {
  static const OptionTable<SignalRequest> table =
      OptionTable<SignalRequest>("signal")
          .group("Signal during the readout")
          .text("field-map", &SignalRequest::field_map,
                "Correct off-resonance by this map in Hz (NIfTI, NumPy, BART, HDF5, ...), resampled to the image "
                "(docs/howto/off-resonance.md)")
          .reads_file()
          .text("r2star", &SignalRequest::r2_star,
                "Correct decay during the readout by this map of R2* in 1/s, resampled to the image")
          .reads_file()
          .flag("concomitant", &SignalRequest::concomitant,
                "Correct the concomitant field of the gradients, for spirals off the center of the magnet or across "
                "its axis (docs/howto/off-resonance.md)")
          .real("field-strength", &SignalRequest::field_strength_t, {0, 100}, "T",
                "Main field, in place of the scan's (0: that of the scan); for other nuclei than 1H, times the ratio "
                "of their gyromagnetic ratios")
          .when("--concomitant", [](const SignalRequest& request) { return request.concomitant; });
  return table;
}

void settle(ReconRequest& request) {
  ReconOptions& recon = request.recon;
  if (const auto& window = request.outputs.window; !window.empty() && !(window[0] < window[1])) {
    throw ValueError(fmt::format("--window is '{:g},{:g}', expected the lower value first", window[0], window[1]));
  }
  if (!request.references.empty()) {
    if (recon.cg_sense.penalty == PenaltyKind::smoothness) {
      throw ValueError("--prior: has no use with another --penalty than prior; leave one out");
    }
    recon.cg_sense.penalty = PenaltyKind::prior;
  }
  if (request.maps.given()) recon.coil_maps = CoilMapMethod::file;
  if (request.frames.weights.given() && request.frames.frames.gating.soft > 0) {
    throw ValueError("--gate-weights: are the weights that --soft-gate finds; leave one out");
  }
  settle_regularizers(request);
  if (request.lambda.given()) {
    request.lambda.apply(recon.cg_sense.lambda, recon.cg_sense.lambda_search);
  } else {
    use_usual_lambda(recon, weighs_samples(request), request.subspace.any());
    if (recon.cg_sense.lambda_search) {
      const LambdaMethod method = recon.cg_sense.lambda_search->method;
      recon.cg_sense.lambda_search = request.lambda.search;
      recon.cg_sense.lambda_search->method = method;
    }
  }
  check_effects(request);
  check_joint(request);
  if (recon.cg_sense.penalty == PenaltyKind::prior && request.references.empty()) {
    throw ValueError("--penalty: prior has no reference image; name one or several by --prior FILE");
  }
  if (request.frames.are_small() && !request.says_maps_from && !weighs_samples(request)) {
    recon.maps_from = CoilMapData::all_frames;
  }
}

std::vector<std::filesystem::path> files_read(const ReconRequest& request) {
  std::vector<std::string> names{request.scan.value != nullptr ? std::string() : request.scan.file};
  for (const auto& reference : request.references) names.push_back(reference.file);
  names.push_back(request.support.file);
  const OptionTable<ReconRequest>& table = option_table<ReconRequest>();
  for (std::size_t i = 0; i < table.bindings().size(); ++i) {
    if (table.bindings()[i].what.file == FileUse::input) names.push_back(to_text(table.get_value(&request, i)));
  }
  std::vector<std::string> scans{source_of(request.scan)};
  for (const auto& scan : request.joint) {
    scans.push_back(source_of(scan));
    if (scan.value == nullptr) names.push_back(scan.file);
  }
  std::vector<std::filesystem::path> files;
  const auto add = [&](const std::string& name) {
    for (std::filesystem::path& file : files_to_read(file_of(name))) {
      if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(std::move(file));
    }
  };
  for (const std::string& name : names) {
    if (name.empty()) continue;
    if (request.joint.empty()) {
      add(name);
    } else {
      for (const std::string& scan : scans) add(with_scan_name(name, scan));
    }
  }
  return files;
}

}  // namespace whorl
