#include "recon/encoding/penalty.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "recon/encoding/reference_at.hpp"
#include "whorl/core/error.hpp"
#include "whorl/op/weighted_differences.hpp"

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

}  // namespace

std::vector<QuadraticPenalty<float>> Penalty::at(Run& run, const ScanFrame& frame) {
  if (options_.penalty == PenaltyKind::tikhonov) return {{nullptr, 1}};
  const Shape image = scan_.image_shape();
  const auto make = [&](Array<float> weights) {
    return std::make_shared<const WeightedDifferences<float>>(run.ctx, image, std::move(weights));
  };
  if (options_.penalty == PenaltyKind::smoothness) {
    if (differences_ == nullptr) differences_ = make({});
  } else if (differences_ == nullptr || place_ != frame.geometry) {
    run.time(stages::prior, [&] {
      differences_ = nullptr;
      differences_ = make(weights_at(run, frame));
    });
    place_ = frame.geometry;
  }
  return {{differences_, 1}};
}

Array<float> Penalty::weights_at(Run& run, const ScanFrame& frame) {
  const bool first = least_covered_.empty();
  least_covered_.resize(options_.references.size(), 1);
  std::vector<ResampledReference> resampled;
  std::vector<ArrayRef<const float>> values;
  for (std::size_t i = 0; i < options_.references.size(); ++i) {
    const ReferenceImage& reference = *options_.references[i];
    resampled.push_back(reference_at(run.ctx.host(), scan_, frame.geometry, reference));
    values.push_back(resampled.back().values.ref());
    if (first || resampled[i].covered < least_covered_[i]) {
      run.notes.emplace_back(describe(frame, reference, resampled[i]));
    }
    least_covered_[i] = std::min(least_covered_[i], resampled[i].covered);
  }
  EdgeWeights made = edge_weights(run.ctx, values, options_.edges);
  if (first) {
    run.notes.emplace_back(
        fmt::format("Prior: {:.1f} % of the differences between neighbors count less than half.", 100 * made.halved));
  }
  return std::move(made.weights);
}

StageMemory penalty_memory(const Context& ctx, const Scan& scan, const ReconOptions& options) {
  if (options.penalty != PenaltyKind::prior) return {};
  const Index image = scan.image_shape().size() * static_cast<Index>(sizeof(float));
  StageMemory memory{scan.dim() * image, scan.dim() * image};
  if (ctx.device().kind != DeviceKind::cpu) return memory;
  for (const auto& reference : options.references) {
    memory.kept += reference->values.size() * static_cast<Index>(sizeof(float));
    memory.peak += reference->values.size() * static_cast<Index>(sizeof(float)) + image;
  }
  return memory;
}

void check_penalty(const ReconOptions& options) {
  const bool prior = options.penalty == PenaltyKind::prior;
  if (options.method != ReconMethod::cg_sense && options.penalty != PenaltyKind::tikhonov) {
    throw ValueError(
        fmt::format("reconstruction: {} has no such penalty; smoothness and prior belong to least squares (cg-sense)",
                    options.method == ReconMethod::nlinv ? "nlinv" : "gridding"));
  }
  if (prior && options.references.empty()) {
    throw ValueError("anatomical prior: no reference image, expected at least one");
  }
  if (!prior && !options.references.empty()) {
    throw ValueError("reconstruction: reference images without the penalty that goes by them (prior)");
  }
  if (std::any_of(options.references.begin(), options.references.end(), [](const auto& one) { return !one; })) {
    throw ValueError("anatomical prior: a reference image is null, expected an image");
  }
}

}  // namespace whorl::recon
