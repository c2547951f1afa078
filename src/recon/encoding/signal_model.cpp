#include "recon/encoding/signal_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

#include "recon/encoding/encoding.hpp"
#include "recon/encoding/reference_at.hpp"
#include "recon/methods/entry.hpp"
#include "whorl/core/error.hpp"
#include "whorl/correct/concomitant_field.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/scan/readout_times.hpp"
#include "whorl/trajectory/sample_times.hpp"

namespace whorl::recon {

namespace {

// No map where there is no file.
ResampledReference map_at(const Context& ctx, const Scan& scan, const Geometry& place,
                          const std::shared_ptr<const ReferenceImage>& map) {
  return map == nullptr ? ResampledReference{} : reference_at(ctx.host(), scan, place, *map);
}

ArrayRef<const float> values_of(const ResampledReference& map) {
  return map.values.size() == 0 ? ArrayRef<const float>() : map.values.ref();
}

void check_decay(const SignalOptions& options, const ResampledReference& map) {
  if (map.values.size() == 0) return;
  const float least = *std::min_element(map.values.span().begin(), map.values.span().end());
  if (least >= 0) return;
  throw ValueError(fmt::format("R2* map '{}': its least value is {:g} 1/s, expected 0 or more; set to 0 what is below",
                               options.r2_star->source, least));
}

std::string describe(const char* what, const char* unit, const ReferenceImage* map, const Geometry& place,
                     const Scan& scan, const Context& ctx) {
  const ResampledReference here = reference_at(ctx.host(), scan, place, *map);
  const auto [low, high] = std::minmax_element(here.values.span().begin(), here.values.span().end());
  return fmt::format("{} '{}', {:.4g} to {:.4g} {} ({})", what, map->source, *low, *high, unit,
                     here.by_index ? "voxel by voxel" : fmt::format("of {:.1f} % of the image", 100 * here.covered));
}

std::string describe(const Context& ctx, const Scan& scan, const ScanFrame& frame, const SignalOptions& options) {
  std::string text;
  if (options.field_map) {
    text = describe("field map", "Hz", options.field_map.get(), frame.geometry, scan, ctx);
  }
  if (options.r2_star) {
    text += (text.empty() ? "" : "; ") + describe("R2* map", "1/s", options.r2_star.get(), frame.geometry, scan, ctx);
  }
  if (options.larmor_mhz)
    text += fmt::format("{}concomitant field at {:.4g} MHz", text.empty() ? "" : "; ", *options.larmor_mhz);
  const ReadoutTiming timing = readout_timing(scan, options.dwell_us, options.readout_start_us);
  return fmt::format("Signal: {}; a sample every {:g} us, readouts from {:g} us on", text, timing.dwell_us,
                     timing.start_us);
}

// Each frame has them, and what is asked for takes them.
void check_weights(const Scan& scan, const ReconOptions& options) {
  std::string wrong;
  // The maps of a subspace are made without them.
  if (options.maps_from == CoilMapData::all_frames && options.subspace == nullptr)
    wrong = "coil maps of all frames do not take them; use the first";
  if (options.error_bars.g_factor) wrong = "the g-factor compares with samples that count alike; leave one of both out";
  const bool chooses = std::any_of(options.regularized.terms.begin(), options.regularized.terms.end(),
                                   [](const Regularizer& term) { return term.choice.has_value(); });
  if (options.cg_sense.lambda_search || chooses) {
    wrong = "a weight chosen from the data counts the samples, all of which then count alike; give a number";
  }
  if (!wrong.empty()) throw ValueError("sample weights: " + wrong);
  for (const ScanFrame& frame : scan.frames) {
    const Array<float>* weights = options.signal.weights->of(*frame.trajectory);
    if (weights != nullptr && weights->shape() == Shape{frame.trajectory->samples()}) continue;
    throw ValueError(
        fmt::format("sample weights: frame {} has none for its trajectory of {} samples; make them of the scan that is "
                    "reconstructed (weigh_samples)",
                    &frame - scan.frames.data(), frame.trajectory->samples()));
  }
}

// The courses with each sample's part of W^(1/2).
Array<std::complex<float>> weighted(const Context& ctx, const Array<std::complex<float>>& courses,
                                    const Array<float>& roots) {
  Array<std::complex<float>> made(ctx, courses.shape());
  multiply_weights<float>(ctx, roots, courses, made);
  return made;
}

// A signal that stays what it is: one factor of ones.
EvolutionFactors<float> unit_factor(const Context& ctx, const Scan& scan, const ScanFrame& frame) {
  EvolutionFactors<float> factors{Array<std::complex<float>>(ctx, scan.image_shape().with_front(1)),
                                  Array<std::complex<float>>(ctx, {1, frame.trajectory->samples()}), 0};
  fill<std::complex<float>>(ctx, factors.maps, 1);
  fill<std::complex<float>>(ctx, factors.courses, 1);
  return factors;
}

}  // namespace

Array<float> weight_roots(const Context& ctx, const ScanFrame& frame, const SignalOptions& options) {
  const Array<float>& weights = *options.weights->of(*frame.trajectory);
  Array<float> roots(ctx.host(), weights.shape());
  std::transform(weights.span().begin(), weights.span().end(), roots.span().begin(),
                 [](float w) { return std::sqrt(w); });
  return ctx.device() == roots.device() ? std::move(roots) : clone<float>(ctx, roots);
}

void check_signal(const Scan& scan, const ReconOptions& options) {
  const SignalOptions& signal = options.signal;
  if (!signal.changes() && (signal.dwell_us || signal.readout_start_us)) {
    throw ValueError(
        "reconstruction: times of samples without a field map, an R2* map or a concomitant field, which they are "
        "for");
  }
  if (!signal.any()) return;
  if (options.resources.normals != nullptr || options.keep_normals) {
    throw ValueError(
        "reconstruction: a saved normal operator is that of the trajectory alone; leave it out, or the field map, the "
        "R2* map and the sample weights");
  }
  if (signal.weights != nullptr) check_weights(scan, options);
  if (!signal.changes()) return;
  static_cast<void>(readout_timing(scan, signal.dwell_us, signal.readout_start_us));
  for (const ScanFrame& frame : scan.frames) {
    const Index length = frame.trajectory->readout_length;
    if (length > 0 && frame.trajectory->samples() % length == 0) continue;
    throw ValueError(fmt::format(
        "sample times: frame {} has readouts of unequal or unknown length; field maps and R2* maps need whole readouts",
        &frame - scan.frames.data()));
  }
}

Array<double> signal_times(const Context& ctx, const Scan& scan, const Trajectory& trajectory,
                           const SignalOptions& options) {
  const ReadoutTiming timing = readout_timing(scan, options.dwell_us, options.readout_start_us);
  return sample_times(ctx.host(), trajectory, timing.start_us, timing.dwell_us);
}

ExponentialSignal signal_at(const Context& ctx, const Scan& scan, const Geometry& place, const SignalOptions& options) {
  if (!options.has_maps()) return {};
  const ResampledReference field = map_at(ctx, scan, place, options.field_map);
  const ResampledReference decay = map_at(ctx, scan, place, options.r2_star);
  check_decay(options, decay);
  return exponential_signal(ctx.host(), values_of(decay), values_of(field));
}

namespace {

// The turns at the center of the image are exact: each sample has its own.
struct ConcomitantSignal {
  ConcomitantField field;
  ExponentialSignal evolution;
};

ConcomitantSignal concomitant_signal(const Context& host, const Scan& scan, const ScanFrame& frame,
                                     const SignalOptions& options) {
  const ReadoutTiming timing = readout_timing(scan, options.dwell_us, options.readout_start_us);
  ConcomitantSignal signal{concomitant_field(host, scan, frame, timing.dwell_us, options.larmor_mhz.value_or(0)), {}};
  const Shape shape = scan.image_shape().with_front(1);
  signal.evolution = {Array<double>(host, shape), zeros<double>(host, shape), clone(host, signal.field.hertz.ref())};
  signal.evolution.off_resonance.reshape(shape);
  fill<double>(signal.evolution.amplitudes, 1);
  return signal;
}

EvolutionFactors<float> concomitant_factors(Run& run, const Scan& scan, const ScanFrame& frame,
                                            const SignalOptions& options, bool first) {
  const Context host = run.ctx.host();
  const ConcomitantSignal signal = concomitant_signal(host, scan, frame, options);
  EvolutionFactors<float> factors =
      evolution_factors<float>(host, signal.evolution, signal.field.times, options.tolerance);
  const Array<double>& turns = signal.field.turns;
  for (Index i = 0; i < factors.courses.size(); ++i) {
    factors.courses.data()[i] *=
        std::complex<float>(std::polar(1.0, -2 * std::numbers::pi * turns.data()[i % turns.size()]));
  }
  if (first) {
    const auto& hertz = signal.field.hertz.span();
    const auto [low, high] = std::minmax_element(hertz.begin(), hertz.end());
    const double longest = *std::max_element(signal.field.times.span().begin(), signal.field.times.span().end());
    run.notes.emplace_back(fmt::format(
        "Concomitant field: the signal turns by up to {:.2g} turns at the center of the image, and by {:.2g} to {:.2g} "
        "more elsewhere; at most {:.1g} are left out.",
        *std::max_element(turns.span().begin(), turns.span().end()), *low * longest, *high * longest,
        signal.field.left_out));
  }
  return factors;
}

// The factors of the product of two evolutions, on the host.
EvolutionFactors<float> product(const Context& host, const EvolutionFactors<float>& a,
                                const EvolutionFactors<float>& b) {
  const Index count = a.maps.extent(0) * b.maps.extent(0);
  const auto multiplied = [&](const Array<std::complex<float>>& first, const Array<std::complex<float>>& second) {
    Array<std::complex<float>> made(host, first.shape().tail().with_front(count));
    for (Index l = 0; l < count; ++l) {
      const auto one = first.slice(l / second.extent(0));
      const auto other = second.slice(l % second.extent(0));
      std::transform(one.data(), one.data() + one.size(), other.data(), made.slice(l).data(), std::multiplies<>());
    }
    return made;
  };
  return {multiplied(a.maps, b.maps), multiplied(a.courses, b.courses), std::hypot(a.error, b.error)};
}

EvolutionFactors<float> on_device(const Context& ctx, EvolutionFactors<float> made) {
  if (ctx.device() == made.maps.device()) return made;
  return {clone<std::complex<float>>(ctx, made.maps), clone<std::complex<float>>(ctx, made.courses), made.error};
}

EvolutionFactors<float> map_factors(const Context& ctx, const Scan& scan, const ScanFrame& frame,
                                    const SignalOptions& options) {
  const Array<double> times = signal_times(ctx, scan, *frame.trajectory, options);
  return evolution_factors<float>(ctx, signal_at(ctx, scan, frame.geometry, options), times, options.tolerance);
}

}  // namespace

EvolutionFactors<float> signal_factors(Run& run, const Scan& scan, const ScanFrame& frame, const SignalOptions& options,
                                       bool first) {
  EvolutionFactors<float> factors;
  if (!options.changes()) {
    factors = unit_factor(run.ctx, scan, frame);
  } else if (options.larmor_mhz) {
    factors = concomitant_factors(run, scan, frame, options, first);
    const Context host = run.ctx.host();
    if (options.has_maps()) factors = product(host, map_factors(host, scan, frame, options), factors);
    factors = on_device(run.ctx, std::move(factors));
  } else {
    factors = map_factors(run.ctx, scan, frame, options);
  }
  if (first && options.changes()) {
    run.notes.emplace_back(fmt::format("{}; {} factors, relative error {:.1e}.",
                                       describe(run.ctx, scan, frame, options), factors.maps.extent(0), factors.error));
  }
  if (options.weights != nullptr) {
    factors.courses = weighted(run.ctx, factors.courses, weight_roots(run.ctx, frame, options));
  }
  return factors;
}

bool takes_spectra(const Context& ctx, const Scan& scan, const Trajectory& trajectory, Index coils, Index factors,
                   const ReconOptions& options) {
  if (method_of(options).grids || options.transform == TransformMethod::exact) return false;
  const Shape image = scan.image_shape();
  const Index samples = trajectory.samples();
  return spectra_are_faster<float>(ctx, samples, image, coils, factors,
                                   transform_options(ctx, image, samples, options));
}

SignalMemory signal_memory(const Context& ctx, const Scan& scan, Index coils, const ReconOptions& options) {
  if (!options.signal.any()) return {};
  const Context host;  // not the memory of the context, of which this is a forecast
  const Shape image = scan.image_shape();
  const Index voxels = image.size();
  SignalMemory most;
  StageMemory& stage = most.stage;
  const ScanFrame* before = nullptr;
  for (const ScanFrame& frame : scan.frames) {
    const bool same = before != nullptr && before->trajectory == frame.trajectory && before->geometry == frame.geometry;
    before = &frame;
    if (same) continue;
    const SignalOptions& signal = options.signal;
    Index rank = 1;
    if (signal.has_maps()) {
      rank *= evolution_rank(signal_at(host, scan, frame.geometry, signal),
                             signal_times(host, scan, *frame.trajectory, signal), signal.tolerance);
    }
    if (signal.larmor_mhz) {
      const ConcomitantSignal concomitant = concomitant_signal(host, scan, frame, signal);
      rank *= evolution_rank(concomitant.evolution, concomitant.field.times, signal.tolerance);
    }
    const Index samples = frame.trajectory->samples();
    Index kept = rank * (voxels + samples) * complex_bytes;
    // The maps are resampled and become amplitudes, rates and frequencies in double, on the host.
    const bool on_host = ctx.device().kind == DeviceKind::cpu;
    Index peak = kept + (on_host ? (3 * voxels + samples) * static_cast<Index>(sizeof(double)) : 0);
    if (takes_spectra(ctx, scan, *frame.trajectory, coils, rank, options)) {
      const NufftMemory spectra = subspace_memory<float>(ctx, frame.trajectory->points, image, rank, coils, false,
                                                         transform_options(ctx, image, samples, options));
      kept += spectra.plan;
      peak = std::max(peak, kept + spectra.planning);
      most.normal = std::max(most.normal, spectra.normal + 2 * rank * voxels * complex_bytes);
    }
    stage = {std::max(stage.kept, kept), std::max(stage.peak, peak)};
  }
  if (ctx.device().kind == DeviceKind::cpu) {
    for (const auto& map : {options.signal.field_map, options.signal.r2_star}) {
      if (map == nullptr) continue;
      const Index bytes = map->values.size() * static_cast<Index>(sizeof(float));
      stage = {stage.kept + bytes, stage.peak + bytes};
    }
  }
  return most;
}

}  // namespace whorl::recon
