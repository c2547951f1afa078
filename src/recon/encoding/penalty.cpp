#include "recon/encoding/penalty.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "recon/adjoint_of_data.hpp"
#include "recon/encoding/kept_plan.hpp"
#include "recon/encoding/reference_at.hpp"
#include "whorl/core/error.hpp"
#include "whorl/op/weighted_differences.hpp"
#include "whorl/prior/align_reference.hpp"

namespace whorl::recon {

namespace {

std::string describe(const ScanFrame& frame, const ReferenceImage& reference, const ResampledReference& resampled) {
  if (resampled.by_index) {
    return fmt::format("Prior: '{}', voxel by voxel (no place in the scanner is known).", reference.source);
  }
  return fmt::format("Prior: '{}' covers {:.1f} % of the image of slice {}{}.", reference.source,
                     100 * resampled.covered, frame.index.slice,
                     resampled.covered < 1 ? "; outside, neighbors are held alike as by plain smoothness" : "");
}

// Later frames that come in other reconstructions share the place, as they do within one.
std::map<int, std::vector<Affine>>* kept_places(const ReconOptions& options) {
  if (options.resources.plans == nullptr) return nullptr;
  std::optional<std::map<int, std::vector<Affine>>>& kept = options.resources.plans->plan().aligned;
  return kept ? &*kept : nullptr;
}

}  // namespace

Penalty::Penalty(const Scan& scan, const ReconOptions& options)
    : scan_(scan), options_(options), aligned_(kept_places(options) != nullptr ? *kept_places(options) : own_) {}

std::vector<QuadraticPenalty<float>> Penalty::at(Run& run, const ScanFrame& frame) {
  if (options_.cg_sense.penalty == PenaltyKind::tikhonov) return {{nullptr, 1}};
  const Shape image = scan_.image_shape();
  const auto make = [&](Array<float> weights) {
    return std::make_shared<const WeightedDifferences<float>>(run.ctx, image, std::move(weights));
  };
  if (options_.cg_sense.penalty == PenaltyKind::smoothness) {
    if (differences_ == nullptr) differences_ = make({});
  } else if (differences_ == nullptr || place_ != frame.geometry ||
             (options_.cg_sense.align_references && slice_ != frame.index.slice)) {
    run.time(stages::prior, [&] {
      differences_ = nullptr;
      differences_ = make(weights_at(run, frame));
    });
    place_ = frame.geometry;
    slice_ = frame.index.slice;
  }
  return {{differences_, 1}};
}

void Penalty::align(Run& run, const RegularizedModel<float>& model, const ScanFrame& frame) {
  if (!options_.cg_sense.align_references || aligned_.contains(frame.index.slice)) return;
  run.time(stages::prior, [&] {
    using Complex = std::complex<float>;
    Array<Complex> b(run.ctx, model.encoding->domain());
    adjoint_of_data<float>(run.ctx, *model.encoding, frame.data, b);
    Array<Complex> image(run.ctx, b.shape());
    fill<Complex>(run.ctx, image, 0);
    solve_regularized_normal<float>(run.ctx, "image to align references to", model,
                                    {.iterations = 10, .tolerance = 1e-3, .lambda = 0}, b, image);
    const Array<Complex> here = to_host<Complex>(run.ctx, image);
    Array<float> magnitude(run.ctx.host(), scan_.image_shape());
    std::ranges::transform(here.span(), magnitude.span().begin(), [](Complex value) { return std::abs(value); });
    std::vector<Affine> places;
    for (const auto& given : options_.cg_sense.references) {
      const AlignedReference found = align_reference(run.ctx, *given, frame.geometry, scan_.matrix, magnitude);
      places.push_back(found.affine);
      const auto& [x, y, z] = found.shift_mm;
      const auto& [about_x, about_y, about_z] = found.rotation_degrees;
      run.notes.emplace_back(fmt::format(
          "Prior: '{}' moved by {:.2f}, {:.2f}, {:.2f} mm and {:.2f}, {:.2f}, {:.2f} degrees to the object of slice "
          "{} (mutual information {:.4f} before, {:.4f} now).",
          given->source, x, y, z, about_x, about_y, about_z, frame.index.slice, found.before, found.after));
    }
    aligned_.emplace(frame.index.slice, std::move(places));
  });
}

Array<float> Penalty::weights_at(Run& run, const ScanFrame& frame) {
  const bool first = least_covered_.empty();
  least_covered_.resize(options_.cg_sense.references.size(), 1);
  const auto aligned = aligned_.find(frame.index.slice);
  std::vector<ResampledReference> resampled;
  std::vector<ArrayRef<const float>> values;
  for (std::size_t i = 0; i < options_.cg_sense.references.size(); ++i) {
    const ReferenceImage& reference = *options_.cg_sense.references[i];
    resampled.push_back(reference_at(run.ctx.host(), scan_, frame.geometry, reference,
                                     aligned == aligned_.end() ? nullptr : &aligned->second[i]));
    values.push_back(resampled.back().values.ref());
    if (first || resampled[i].covered < least_covered_[i]) {
      run.notes.emplace_back(describe(frame, reference, resampled[i]));
    }
    least_covered_[i] = std::min(least_covered_[i], resampled[i].covered);
  }
  EdgeWeights made = edge_weights(run.ctx, values, options_.cg_sense.edges);
  if (first) {
    run.notes.emplace_back(
        fmt::format("Prior: {:.1f} % of the differences between neighbors count less than half.", 100 * made.halved));
  }
  return std::move(made.weights);
}

Index alignment_memory(const LeastSquaresSizes& sizes, const ReconOptions& options) {
  if (!options.cg_sense.align_references) return 0;
  const Index image = sizes.voxels * complex_bytes;
  // The right-hand side and the image beside conjugate gradient's three arrays. What is made of the image on a host is less.
  return std::max(sizes.adjoint() + sizes.data + image, sizes.normal() + 5 * image);
}

StageMemory penalty_memory(const Context& ctx, const Scan& scan, const ReconOptions& options) {
  if (options.cg_sense.penalty != PenaltyKind::prior) return {};
  const Index image = scan.image_shape().size() * static_cast<Index>(sizeof(float));
  StageMemory memory{scan.dim() * image, scan.dim() * image};
  if (ctx.device().kind != DeviceKind::cpu) return memory;
  for (const auto& reference : options.cg_sense.references) {
    memory.kept += reference->values.size() * static_cast<Index>(sizeof(float));
    memory.peak += reference->values.size() * static_cast<Index>(sizeof(float)) + image;
  }
  return memory;
}

void check_penalty(const ReconOptions& options) {
  const bool prior = options.cg_sense.penalty == PenaltyKind::prior;
  const bool alone = options.regularized.terms.empty() && options.subspace == nullptr;
  if (options.cg_sense.align_references && !(prior && alone)) {
    throw ValueError(
        "anatomical prior: references are aligned for least squares with a prior alone, without regularizers and "
        "subspaces; leave the alignment out");
  }
  if (prior && options.cg_sense.references.empty()) {
    throw ValueError("anatomical prior: no reference image, expected at least one");
  }
  if (!prior && !options.cg_sense.references.empty()) {
    throw ValueError("reconstruction: reference images without the penalty that goes by them (prior)");
  }
  if (std::any_of(options.cg_sense.references.begin(), options.cg_sense.references.end(),
                  [](const auto& one) { return !one; })) {
    throw ValueError("anatomical prior: a reference image is null, expected an image");
  }
}

}  // namespace whorl::recon
