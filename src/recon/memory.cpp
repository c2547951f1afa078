#include <algorithm>

#include "recon/encoding.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace whorl {

Index reconstruction_memory(const Context& ctx, const Scan& scan, const ReconOptions& options) {
  constexpr auto complex_bytes = static_cast<Index>(sizeof(std::complex<float>));
  const Shape image = scan.image_shape();
  const Index coils = options.virtual_coils > 0 ? std::min(options.virtual_coils, scan.coils) : scan.coils;
  Index data = 0;
  Index largest_frame = 0;
  for (const ScanFrame& frame : scan.frames) {
    data += scan.coils * frame.trajectory->samples() * complex_bytes;
    largest_frame = std::max(largest_frame, frame.trajectory->samples());
  }
  const Index trajectory = largest_frame * scan.dim() * static_cast<Index>(sizeof(double));
  const Index images = static_cast<Index>(scan.frames.size()) * image.size() * complex_bytes;
  const Index coil_images = coils * image.size() * complex_bytes;
  const Index frame_samples = coils * largest_frame * complex_bytes;
  const NufftMemory nufft = nufft_memory<float>(ctx, largest_frame, image, coils,
                                                recon::transform_options(ctx, image, largest_frame, options));
  const Index always = data + trajectory + images + nufft.plan;
  if (options.method == ReconMethod::gridding) {
    // Weighted data, predicted data, images of the coils.
    return always + nufft.work + 2 * frame_samples + coil_images + largest_frame * static_cast<Index>(sizeof(float));
  }
  const Index maps = coil_images * (options.coil_maps == CoilMapMethod::file ? 2 : 1);
  // The right-hand side.
  const Index start = nufft.work + image.size() * complex_bytes;
  // The right-hand side and the residual, direction and image of conjugate gradient.
  const Index iteration = nufft.normal + 4 * image.size() * complex_bytes;
  return always + maps + std::max({nufft.planning, start, iteration});
}

}  // namespace whorl
