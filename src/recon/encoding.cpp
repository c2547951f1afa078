#include "recon/encoding.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "whorl/density/impulse_response.hpp"
#include "whorl/density/normalize.hpp"
#include "whorl/density/pipe_menon.hpp"
#include "whorl/density/radial_density.hpp"

namespace whorl::recon {

namespace {

struct NamedWeights {
  Array<float> weights;
  std::string origin;
};

NamedWeights make_weights(const Context& ctx, const Scan& scan, const ScanFrame& frame, const ReconOptions& options) {
  const Trajectory& trajectory = *frame.trajectory;
  DensityMethod method = options.density;
  if (method == DensityMethod::automatic) {
    method = frame.weights != nullptr ? DensityMethod::file : DensityMethod::pipe_menon;
  }
  NamedWeights result;
  switch (method) {
    case DensityMethod::file:
      if (frame.weights == nullptr) {
        throw ValueError(scan.source + ": no density weights in the file; use pipe-menon or radial density weights");
      }
      result = {clone(ctx, frame.weights->ref()), "from the file"};
      normalize_weights<float>(result.weights);
      return result;
    case DensityMethod::radial:
      return {radial_density<float>(ctx, trajectory), "analytic, for radial spokes"};
    case DensityMethod::none:
      result = {Array<float>(ctx, {trajectory.samples()}), "none (all equal)"};
      fill<float>(result.weights, 1);
      return result;
    default: {
      auto found = pipe_menon_density<float>(ctx, trajectory.points, scan.image_shape(), options.pipe_menon);
      return {std::move(found.weights),
              fmt::format("Pipe-Menon, {} iterations, deviation {:.2g}", found.iterations, found.deviation)};
    }
  }
}

// Which weights, and how good they are.
std::string describe(const Context& ctx, const Scan& scan, const ScanFrame& frame, const NamedWeights& made) {
  const auto response = impulse_response<float>(ctx, frame.trajectory->points, made.weights, scan.image_shape());
  return fmt::format(
      "Density weights: {}; impulse response {:.2f} pixels wide, side lobes {:.1f} %, energy beyond {} "
      "pixels {:.1f} %.",
      made.origin, response.width, 100 * response.side_lobe, main_lobe_radius, 100 * response.side_lobe_energy);
}

}  // namespace

const Nufft<float>& Encodings::nufft(const Context& ctx, const ScanFrame& frame, StageClock& clock) {
  if (planned_ != frame.trajectory) {
    clock.time("plan", [&] {
      nufft_ = std::make_unique<const Nufft<float>>(ctx, frame.trajectory->points, scan_.image_shape(), scan_.coils,
                                                    options_.nufft);
    });
    planned_ = frame.trajectory;
  }
  return *nufft_;
}

const Array<float>& Encodings::weights(const Context& ctx, const ScanFrame& frame, StageClock& clock,
                                       std::vector<std::string>& notes) {
  if (weighted_ != frame.trajectory) {
    weights_ = clock.time("density compensation", [&] {
      NamedWeights made = make_weights(ctx, scan_, frame, options_);
      // Said for the first trajectory alone: it costs two transforms more, and the others are of its kind.
      if (weighted_ == nullptr) notes.push_back(describe(ctx, scan_, frame, made));
      return std::move(made.weights);
    });
    weighted_ = frame.trajectory;
  }
  return weights_;
}

}  // namespace whorl::recon
