#include "job/outputs/record.hpp"

#include "whorl/job/record.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/counted.hpp"
#include "whorl/recon/option_tables.hpp"

namespace whorl {

namespace {

// Options that differ from the defaults.
template <class Options>
Parameters changed(const Options& options, const std::function<bool(const OptionDescriptor&)>& takes) {
  const OptionTable<Options>& table = option_table<Options>();
  const Options usual{};
  return parameters_of(&options, table, [&](const OptionDescriptor& what) {
    return takes(what) && to_text(table.get(options, what.name)) != to_text(table.get(usual, what.name));
  });
}

// Method of density weights other than Pipe-Menon's.
bool is_of_density(const OptionDescriptor& what) {
  return what.name == "pipe-menon-tolerance" || what.name == "cell" || what.name == "boundary";
}

}  // namespace

Parameters describe(const ReconOptions& options) {
  Parameters parameters = parameters_of(&options, option_table<ReconOptions>(), [](const OptionDescriptor& what) {
    return what.on_command_line && !is_of_density(what);
  });
  append(parameters, changed(options, &is_of_density));
  if (options.method == ReconMethod::cg_sense) {
    append(parameters, describe_lambda(options.cg_sense.lambda, options.cg_sense.lambda_search));
  }
  std::string regularizers;
  for (const Regularizer& term : options.regularized.terms)
    regularizers += (regularizers.empty() ? "" : " ") + to_text(term);
  if (!regularizers.empty()) parameters.emplace_back("regularize", regularizers);
  if (options.support_image != nullptr) {
    parameters.emplace_back("support", options.support_image->source);
  } else if (options.support != ImageSupport::automatic) {
    parameters.emplace_back("support", to_text(option_table<ReconOptions>().get(options, "support")));
  }
  if (options.filter) parameters.emplace_back("filter", options.filter->name);
  return parameters;
}

namespace job {

namespace {

Parameters describe(const ErrorBarOptions& options) {
  if (!options.any()) return {};
  Parameters parameters = whorl::parameters_of(options);
  std::string points;
  for (const auto& point : options.points) {
    points += fmt::format("{}{}", points.empty() ? "" : " ", fmt::join(point, ","));
  }
  parameters.emplace_back("psf_voxels", points);
  return parameters;
}

Parameters describe(const SignalOptions& options) {
  if (!options.changes()) return {};
  Parameters parameters = whorl::parameters_of(options);
  if (options.field_map) parameters.emplace_back("field_map", options.field_map->source);
  if (options.r2_star) parameters.emplace_back("r2star", options.r2_star->source);
  if (options.larmor_mhz) parameters.emplace_back("concomitant_larmor_mhz", *options.larmor_mhz);
  return parameters;
}

// "2D radial, 256 x 256, 4 coils, 96 readouts of 512 samples".
std::string describe_size(const Scan& scan) {
  std::string text = fmt::format("{}D {}, {} x {}", scan.dim(), scan.trajectory_kind, scan.matrix[0], scan.matrix[1]);
  if (scan.dim() == 3) text += fmt::format(" x {}", scan.matrix[2]);
  text += ", " + counted(scan.coils, "coil");
  if (scan.frames.size() > 1) text += ", " + counted(static_cast<Index>(scan.frames.size()), "frame");
  const Trajectory& first = *scan.frames.front().trajectory;
  const bool is_one = std::all_of(scan.frames.begin(), scan.frames.end(), [&](const ScanFrame& frame) {
    return frame.trajectory->samples() == first.samples() && frame.trajectory->readout_length == first.readout_length;
  });
  if (!is_one) return text;
  const Index length = first.readout_length > 0 ? first.readout_length : first.samples();
  return text + fmt::format(", {} of {}", counted(first.samples() / length, "readout"), counted(length, "sample"));
}

RecordTable solver_table(const std::string& name, const SolverReport& report) {
  return {name,
          {{"cost", report.costs},
           {"primal_residual", report.primal_residuals},
           {"dual_residual", report.dual_residuals},
           {"gap", report.gaps},
           {"change", report.changes}}};
}

RecordTable certificate_table(const Certificate& certificate) {
  return {fmt::format("certificate_of_slice_{}", certificate.slice),
          {{"samples", {static_cast<double>(certificate.samples)}},
           {"relative_error", {certificate.relative_error}},
           {"bound_99_percent", {certificate.bound}}}};
}

const SolverReport& worst_of(const std::vector<SolverReport>& reports) {
  return *std::max_element(reports.begin(), reports.end(), [](const SolverReport& a, const SolverReport& b) {
    return a.residuals.back() < b.residuals.back();
  });
}

}  // namespace

Parameters parameters_of(const ReconRequest& request, const Scan& scan) {
  Parameters parameters = whorl::describe(request.recon);
  append(parameters, whorl::parameters_of(request.frames.frames));
  if (request.subspace.any()) {
    append(parameters, whorl::parameters_of(request.subspace));
    if (!request.subspace.basis.given())
      std::erase_if(parameters, [](const auto& of) { return of.first == "subspace"; });
  }
  append(parameters, describe(request.recon.error_bars));
  append(parameters, describe(request.recon.signal));
  append(parameters, changed(request.corrections, [](const OptionDescriptor&) { return true; }));
  parameters.emplace_back("scan", describe_size(scan));
  parameters.emplace_back("trajectory_unit", scan.trajectory_unit);
  if (!scan.echo_times_ms.empty()) {
    parameters.emplace_back("echo_times_ms", fmt::format("{:g}", fmt::join(scan.echo_times_ms, ",")));
  }
  if (!request.joint.empty()) {
    std::vector<std::string> names;
    for (const auto& further : request.recon.joint) names.push_back(further.scan->source);
    parameters.emplace_back("joint", fmt::format("{}", fmt::join(names, " ")));
  }
  return parameters;
}

Note solver_note(const ReconOptions& options, const std::vector<SolverReport>& reports) {
  const SolverReport& worst = worst_of(reports);
  if (!options.regularized.terms.empty()) {
    return doubt_if(
        !all_ended(reports),
        fmt::format("{}: {} iterations, {} applications of the normal operator, residual {:.2e}; {}.",
                    to_string(solver_for(options.regularized.solver, options.regularized.terms, has_support(options))),
                    worst.iterations, worst.operator_applications, worst.residuals.back(), describe_ends(reports)));
  }
  int most = 0;
  for (const SolverReport& report : reports) most = std::max(most, report.iterations);
  const std::string iterations = (reports.size() > 1 ? "up to " : "") + counted(most, "iteration");
  if (options.method == ReconMethod::nlinv) {
    return fmt::format("NLINV: {} steps, {}, misfit {:.3g}.", reports.front().residuals.size() - 1, iterations,
                       worst.residuals.back());
  }
  return doubt_if(!all_ended(reports), fmt::format("Conjugate gradient: {}, relative residual {:.2e}; {}.", iterations,
                                                   worst.residuals.back(), describe_ends(reports)));
}

void describe_solution(const ReconOptions& options, const Reconstruction& result, RunRecord& record) {
  for (const SolverReport& report : result.reports) record.residuals.push_back(report.residuals);
  for (std::size_t i = 0; !options.regularized.terms.empty() && i < result.reports.size(); ++i) {
    record.tables.push_back(solver_table(fmt::format("solver_of_image_{}", i), result.reports[i]));
  }
  for (const SliceLambda& of : result.lambdas) {
    record.tables.push_back(lambda_table(fmt::format("lambda_of_slice_{}", of.slice), of.choice));
  }
  for (const Certificate& of : result.certificates) record.tables.push_back(certificate_table(of));
  record.stage_seconds = result.stage_seconds;
  record.notes.insert(record.notes.end(), result.notes.begin(), result.notes.end());
}

}  // namespace job

}  // namespace whorl
