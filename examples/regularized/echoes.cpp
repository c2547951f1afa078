#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "cases.hpp"
#include "whorl/fit/relaxation.hpp"
#include "whorl/phantom/dynamic.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/recon/subspace_basis.hpp"
#include "whorl/trajectory/radial.hpp"

namespace regularized {

using Complex = std::complex<float>;
using whorl::Array;
using whorl::Context;
using whorl::Index;

namespace {

constexpr double spacing_ms = 8;

// The median of |T2 - truth| / truth over the pixels that have a T2.
double t2_error(const Array<float>& found, const Array<float>& truth_s) {
  std::vector<double> errors;
  for (Index r = 0; r < truth_s.size(); ++r) {
    const double truth_ms = 1e3 * static_cast<double>(truth_s.data()[r]);
    if (truth_ms > 0) errors.push_back(std::abs(static_cast<double>(found.data()[r]) - truth_ms) / truth_ms);
  }
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::nth_element(errors.begin(), middle, errors.end());
  return *middle;
}

// Echo t is measured at (t + 1) times the spacing, all of its spokes at once.
whorl::Scan echo_scan(const Context& ctx, const Settings& settings, Index n, Index spokes) {
  whorl::Scan scan;
  scan.matrix = {n, n, 1};
  scan.trajectory_kind = "radial";
  const Index length = spokes * 2 * n;
  const whorl::Trajectory all =
      whorl::radial_trajectory(ctx, settings.frames * spokes, 2 * n, whorl::SpokeOrder::golden_angle);
  for (Index t = 0; t < settings.frames; ++t) {
    auto own = std::make_shared<whorl::Trajectory>();
    own->points = Array<double>(ctx, {length, 2});
    std::copy_n(all.points.data() + t * length * 2, length * 2, own->points.data());
    whorl::ScanFrame& frame = scan.frames.emplace_back();
    frame.trajectory = own;
    frame.index.repetition = static_cast<int>(t);
  }
  scan.readout_interval_ms = spacing_ms;
  return with_true_maps(
      ctx, whorl::dynamic_phantom_scan(ctx, [](double time) { return whorl::t2_phantom(time + 1e-3 * spacing_ms); },
                                       std::move(scan),
                                       {.coils = settings.coils, .noise_standard_deviation = settings.noise}));
}

}  // namespace

Study echo_images(const Context& ctx, const Settings& settings) {
  const Context host = ctx.host();
  const Index n = settings.size / 2;
  const Index spokes = 8;
  const whorl::Scan scan = echo_scan(host, settings, n, spokes);
  std::vector<double> times;
  Array<float> truth(host, {settings.frames, 1, n, n});
  for (Index t = 0; t < settings.frames; ++t) {
    times.push_back(spacing_ms * static_cast<double>(t + 1));
    whorl::copy<float>(true_image(host, settings, whorl::t2_phantom(1e-3 * times.back()), n), truth.slice(t));
  }
  const Array<float> true_t2 = whorl::t2_phantom_map(host, {n, n, 1});
  const auto basis = std::make_shared<const whorl::SubspaceBasis>(
      whorl::basis_of_signals(host, whorl::decay_signals(host, whorl::DecayKind::t2, {20, 300}, times), 4));
  const Reconstruct in_subspace = [&](const whorl::ReconOptions& options, Row& row) {
    whorl::ReconOptions within = options;
    within.subspace = basis;
    const whorl::Reconstruction result = whorl::reconstruct(ctx, scan, within);
    row.iterations = result.reports.front().iterations;
    return whorl::subspace_frames(host, result.images, *basis);
  };

  Study study{"echoes", {}, {}};
  constexpr double high = 0.8;
  constexpr Index zoom = 3;
  std::vector<whorl::Picture> frames{panel(host, "truth, fourth echo", truth.slice(3).slice(0), high, zoom)};
  Array<float> true_ms = whorl::clone<float>(host, true_t2);
  for (float& value : true_ms.span()) value *= 1e3F;
  constexpr double longest_ms = 220;
  std::vector<whorl::Picture> maps{panel(host, "truth, T2 from 0 to 220 ms", true_ms, longest_ms, zoom)};
  const auto add = [&](const std::string& name, const Candidates& candidates, const Reconstruct& reconstruct) {
    Result best = best_of(host, "T2", candidates, known_maps(settings), truth, reconstruct);
    if (!name.empty()) best.row.method = name + ", " + best.row.method;
    const auto fitted = whorl::fit_relaxation(host, best.magnitude, times, whorl::RelaxationModel::decay);
    best.row.other = fmt::format("median error of T2: {:.1f} %", 100 * t2_error(fitted.time, true_t2));
    study.rows.push_back(best.row);
    frames.push_back(panel(host, caption_of(best), best.magnitude.slice(3).slice(0), high, zoom));
    Array<float> shown = whorl::clone<float>(host, fitted.time);
    for (float& value : shown.span()) value = std::min(value, static_cast<float>(longest_ms));
    maps.push_back(panel(host, best.row.other, shown.slice(0), longest_ms, zoom));
  };
  add("", {"", {1e-3, 1e-2, 1e-1}}, of_scan(ctx, scan));
  add("", {"llr:{:g},unit=largest", {3e-3, 1e-2, 3e-2}}, of_scan(ctx, scan));
  add("", {"low-rank-sparse:{:g},unit=largest,matrix=patches", {1e-3, 3e-3, 1e-2}}, of_scan(ctx, scan));
  add("subspace of 4", {"", {1e-4, 1e-3, 1e-2}}, in_subspace);
  add("subspace of 4", {"llr:{:g},unit=largest", {1e-3, 3e-3, 1e-2}}, in_subspace);
  add("subspace of 4", {"wavelet:{:g},unit=largest,taps=4,joint=yes", {3e-4, 1e-3, 3e-3, 1e-2}}, in_subspace);
  const auto columns = static_cast<Index>(frames.size());
  frames.insert(frames.end(), maps.begin(), maps.end());
  study.picture = whorl::in_rows(frames, columns, 6);
  return study;
}

}  // namespace regularized
