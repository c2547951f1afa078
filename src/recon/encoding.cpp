#include "recon/encoding.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "whorl/density/density_weights.hpp"
#include "whorl/density/impulse_response.hpp"

namespace whorl::recon {

namespace {

DensityWeights<float> make_weights(const Context& ctx, const Scan& scan, const ScanFrame& frame,
                                   const ReconOptions& options) {
  if (options.density == DensityMethod::file && frame.weights == nullptr) {
    throw ValueError(scan.source + ": no density weights in the file; use pipe-menon or radial density weights");
  }
  return density_weights<float>(ctx, *frame.trajectory, scan.image_shape(), frame.weights.get(), options.density,
                                options.density_options);
}

// Which weights, and how good they are.
std::string describe(const Context& ctx, const Scan& scan, const ScanFrame& frame, const DensityWeights<float>& made) {
  const auto response = impulse_response<float>(ctx, frame.trajectory->points, made.weights, scan.image_shape());
  return fmt::format(
      "Density weights: {}; impulse response {:.2f} pixels wide, side lobes {:.1f} %, energy beyond {} "
      "pixels {:.1f} %.",
      made.origin, response.width, 100 * response.side_lobe, main_lobe_radius, 100 * response.side_lobe_energy);
}

}  // namespace

NufftOptions transform_options(const Context& ctx, const Shape& image, Index samples, const ReconOptions& options) {
  NufftOptions transform = options.nufft;
  if (options.method != ReconMethod::gridding) transform.normal = NormalMethod::automatic;
  return same_on_every_device<float>(ctx, image, samples, transform);
}

const Nufft<float>& Encodings::nufft(const Context& ctx, const ScanFrame& frame, StageClock& clock) {
  if (planned_ != frame.trajectory) {
    clock.time("plan", [&] {
      const Shape image = scan_.image_shape();
      nufft_ =
          std::make_unique<const Nufft<float>>(ctx, frame.trajectory->points, image, scan_.coils,
                                               transform_options(ctx, image, frame.trajectory->samples(), options_));
    });
    planned_ = frame.trajectory;
  }
  return *nufft_;
}

const Array<float>& Encodings::weights(const Context& ctx, const ScanFrame& frame, StageClock& clock,
                                       std::vector<std::string>& notes) {
  if (weighted_ != frame.trajectory) {
    weights_ = clock.time("density compensation", [&] {
      DensityWeights<float> made = make_weights(ctx, scan_, frame, options_);
      // Said for the first trajectory alone: it costs two transforms more, and the others are of its kind.
      if (weighted_ == nullptr) notes.push_back(describe(ctx, scan_, frame, made));
      return std::move(made.weights);
    });
    weighted_ = frame.trajectory;
  }
  return weights_;
}

}  // namespace whorl::recon
