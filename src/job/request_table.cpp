// All options of a request in one table: those of its parts, with what they need of the others, and its outputs.
#include <algorithm>

#include "job/outputs/output_table.hpp"
#include "job/some_options.hpp"
#include "job/wider_field.hpp"
#include "whorl/io/describe_file.hpp"
#include "whorl/io/option_tables.hpp"
#include "whorl/job/request.hpp"
#include "whorl/recon/option_tables.hpp"

namespace whorl {

namespace {

using Request = ReconRequest;
using job::is_cg_sense;
using job::on;
using job::SomeOptions;

bool is_nlinv(const Request& request) { return request.recon.method == ReconMethod::nlinv; }
bool has_normal(const Request& request) { return request.recon.method != ReconMethod::gridding; }
bool is_read(const Request& request) { return request.scan.value == nullptr; }

bool noise_is_simulated(const Request& request) {
  return is_cg_sense(request) && (job::asks_for_noise(request) || job::asks_for_truth(request));
}
bool has_linear_bars(const Request& request) {
  const bool bias = request.recon.error_bars.bias || !request.outputs.bias.empty();
  const bool any =
      job::asks_for_noise(request) || job::asks_for_truth(request) || bias || !request.point_spreads.empty();
  return is_cg_sense(request) && request.recon.regularized.terms.empty() && any;
}

// How the solver has it: the choice of its transform has no effect beside this one.
OptionTable<ReconOptions> normal_method() {
  OptionTable<ReconOptions> table("recon");
  on(table)
      .choice(
          "normal-method", &ReconOptions::normal,
          {{"pair", NormalMethod::pair}, {"toeplitz", NormalMethod::toeplitz}, {"automatic", NormalMethod::automatic}},
          "How the solver applies A^H A: by a pair of transforms, by a convolution, or by the faster of both")
      .for_programs();
  return table;
}

// A choice that settle leaves as it is.
void add_maps_from(OptionTable<Request>& table) {
  const OptionTable<ReconOptions>& recon = option_table<ReconOptions>();
  const OptionBinding& inner = recon.bindings()[recon.index_of("maps-from")];
  on(table)
      .custom(
          inner.what, [get = inner.get](const Request& request) { return get(&request.recon); },
          [set = inner.set](Request& request, const OptionValue& value) {
            set(&request.recon, value);
            request.says_maps_from = true;
          })
      .when(inner.what.applies, [](const Request& request) {
        static const std::size_t at = option_table<ReconOptions>().index_of("maps-from");
        return option_table<ReconOptions>().applies_to(&request.recon, at);
      });
}

void add_solver(OptionTable<Request>& table) {
  const auto& lambda = option_table<LambdaRequest>();
  on(table)
      .group("Solver (cg-sense)")
      .part(&Request::lambda, {}, SomeOptions::only(lambda, {"lambda"}))
      .when("cg-sense", &is_cg_sense)
      .part(&Request::lambda, {},
            SomeOptions::only(lambda, {"lambda-probes", "lambda-seed", "lambda-probe-iterations"}).without_conditions())
      .when("cg-sense with --lambda gcv, the default of a prior",
            [](const Request& request) {
              return is_cg_sense(request) && job::search_method(request) == LambdaMethod::gcv;
            })
      .part(&Request::lambda, {},
            SomeOptions::only(lambda, {"lambda-noise-energy", "lambda-lowest", "lambda-highest", "lambda-per-decade",
                                       "lambda-iterations"})
                .without_conditions())
      .when("cg-sense with --lambda gcv (the default of a prior), lcurve or discrepancy",
            [](const Request& request) { return is_cg_sense(request) && job::searches_by_curve(request); });
}

void add_error_bars(OptionTable<Request>& table) {
  const auto& bars = option_table<ErrorBarOptions>();
  const std::vector<std::string> linear{"noise-iterations", "noise-tolerance"};
  std::vector<std::string> others{"stddev",      "gfactor",       "bias",         "truth-bar",
                                  "truth-bound", "unseen-radius", "stddev-method"};
  others.insert(others.end(), linear.begin(), linear.end());
  job::add_error_bar_outputs(table);
  const auto part_of = [&](const SomeOptions& some) {
    OptionTable<ReconOptions> part("recon");
    on(part).part(&ReconOptions::error_bars, {}, some);
    return part;
  };
  on(table)
      .part(&Request::recon, {}, part_of(SomeOptions::only(bars, {"stddev-method"}).without_conditions()))
      .when("--stddev or --gfactor of cg-sense (bars of the truth always take replicas)",
            [](const Request& request) { return is_cg_sense(request) && job::asks_for_noise(request); })
      .part(&Request::recon, {}, part_of(SomeOptions::but(bars, others).without_conditions()))
      .when("--stddev, --gfactor, --truth-bar or --truth-bound of cg-sense", &noise_is_simulated)
      .part(&Request::recon, {}, part_of(SomeOptions::only(bars, {"unseen-radius"}).without_conditions()))
      .when("--truth-bound", &job::asks_for_bound)
      .part(&Request::recon, {}, part_of(SomeOptions::only(bars, linear).without_conditions()))
      .when("an error bar of cg-sense without --regularize", &has_linear_bars);
}

void add_signal(OptionTable<Request>& table) {
  OptionTable<ReconOptions> times("recon");
  on(times).part(&ReconOptions::signal);
  on(table)
      .group("")  // that of the parts
      .part(&Request::signal)
      .part(&Request::recon, {}, SomeOptions::only(times, {"dwell"}))
      .when("--field-map, --r2star, --concomitant or --girf",
            [](const Request& request) { return request.signal.any() || request.corrections.response.given(); })
      .part(&Request::recon, {}, SomeOptions::only(times, {"readout-start", "signal-tolerance"}))
      .when("--field-map, --r2star or --concomitant", [](const Request& request) { return request.signal.any(); });
}

// Options that are files, beside the scan.
void add_given_files(OptionTable<Request>& table) {
  on(table)
      .group("Coils")
      .text("maps-file", &Request::maps,
            "Take the coil maps from this file: [coil, (z,) y, x], as whorl coils estimate writes them")
      .reads_file()
      .when("cg-sense or combine matched", [](const Request& request) { return needs_coil_maps(request.recon); })
      .group("Motion")
      .flag(
          "joint-align", &Request::align_joint,
          "Find how the object moved from the first of the joint scans to each of the others, by images of their first "
          "frames, and undo it (docs/howto/many-scans.md)")
      .when("--joint", [](const Request& request) { return !request.joint.empty(); })
      .group("Transform")
      .text("normal", &Request::normal,
            "Take the normal operator of the trajectory from this file, which --save-normal wrote")
      .reads_file()
      .when("cg-sense or nlinv", &has_normal)
      .group("")
      .text("checkpoint", &Request::checkpoint,
            "Keep finished frames and the solver's state in this folder, and go on from what is there: the images have "
            "the bits of a run that nothing ended (docs/howto/many-scans.md)")
      .writes(FileUse::checkpoint)
      .when("cg-sense without a subspace",
            [](const Request& request) { return is_cg_sense(request) && !request.subspace.any(); })
      .real("checkpoint-every", &Request::checkpoint_every, OptionRange::at_least(0), "s",
            "Keep the state of the solver within a frame when this time has passed since the last")
      .when("--checkpoint", [](const Request& request) { return !request.checkpoint.empty(); })
      .custom(
          {.name = "temp-dir",
           .summary = "Directory for temporary files, for what does not fit into memory (default: TMPDIR, or "
                      "/var/tmp)"},
          [](const Request& request) -> OptionValue { return request.recon.resources.spill.folder; },
          [](Request& request, const OptionValue& value) {
            request.recon.resources.spill.folder = std::get<std::string>(value);
          });
}

void add_reading(OptionTable<Request>& table) {
  const auto& read = option_table<ScanReadOptions>();
  const std::vector<std::string> of_all{"center", "fov", "trajectory-from", "noise-from"};
  std::vector<std::string> others = of_all;
  others.emplace_back("trajectory-unit");
  on(table)
      .group("Reading the scan")
      .part(&Request::read, {}, SomeOptions::only(read, {"trajectory-unit"}))
      .when("scans that leave it open",
            [](const Request& request) {
              const std::string& file = request.read.trajectory_from;
              return is_read(request) && leaves_unit_open(file.empty() ? request.scan.file : file);
            })
      .part(&Request::read, {}, SomeOptions::only(read, of_all))
      .when("a scan from a file", &is_read)
      .part(&Request::read, {}, SomeOptions::but(read, others))
      .when("ISMRMRD scans",
            [](const Request& request) { return is_read(request) && may_be_ismrmrd(request.scan.file); });
}

OptionTable<Request> whole_table() {
  OptionTable<Request> table("recon");
  job::add_image_outputs(table);
  const OptionTable<ReconOptions>& recon = option_table<ReconOptions>();
  std::vector<std::string> elsewhere{"lambda",        "maps-from",    "keep-maps",
                                     "keep-parts",    "keep-normals", "nlinv-sets",
                                     "nlinv-damping", "normal",       "pipe-menon-iterations",
                                     "prior-align"};
  for (const OptionDescriptor& what : recon.descriptors()) {
    const auto is_in = [&](const OptionSet& part) {
      const auto all = part.descriptors();
      return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.name == what.name; });
    };
    if (is_in(option_table<SignalOptions>()) || is_in(option_table<ErrorBarOptions>())) elsewhere.push_back(what.name);
  }
  on(table).group("").part(&Request::recon, {}, SomeOptions::but(recon, elsewhere));
  add_maps_from(table);
  on(table)
      .part(&Request::recon, {}, normal_method())
      .when("cg-sense or nlinv", &has_normal)
      .part(&Request::recon, {}, SomeOptions::only(recon, {"pipe-menon-iterations"}))
      .when("--density pipe-menon or auto",
            [](const Request& request) {
              const DensityMethod density = request.recon.density;
              return density == DensityMethod::pipe_menon || density == DensityMethod::automatic;
            })
      .part(&Request::recon, {}, SomeOptions::only(recon, {"prior-align"}))
      .when("a prior and a lambda above 0, without regularizers and subspaces",
            [](const Request& request) { return !request.subspace.any(); })
      .part(&Request::recon, {}, SomeOptions::only(recon, {"nlinv-sets", "nlinv-damping"}))
      .when("nlinv", &is_nlinv);
  add_solver(table);
  on(table)
      .real_or("widen", &Request::widen, {1, 2}, "",
               "Solve on a field of view so many times as wide and crop the images, so that what lies outside is not "
               "pressed into their edge; auto: as wide as the data have signal",
               "auto", 0)
      .when(
          "cg-sense of one scan, without a subspace, a support, --mask fov, and maps or normal operators that are "
          "given or "
          "kept",
          &job::may_widen);
  add_error_bars(table);
  on(table).group("").part(&Request::frames);
  const OptionTable<SubspaceRequest>& subspace = option_table<SubspaceRequest>();
  on(table)
      .part(&Request::subspace, {}, SomeOptions::only(subspace, {"subspace"}))
      .when("cg-sense", &is_cg_sense)
      .part(&Request::subspace, {}, SomeOptions::only(subspace, {"subspace-from"}))
      .when("cg-sense and no --subspace", &is_cg_sense)
      .part(&Request::subspace, {}, SomeOptions::but(subspace, {"subspace", "subspace-from"}));
  add_signal(table);
  on(table).part(&Request::corrections);
  add_given_files(table);
  job::add_array_outputs(table);
  add_reading(table);
  return table;
}

}  // namespace

template <>
const OptionTable<ReconRequest>& option_table<ReconRequest>() {
  static const OptionTable<ReconRequest> table = whole_table();
  return table;
}

}  // namespace whorl
