// Reconstructed images through filters, on the device.
#pragma once

#include <complex>
#include <string>

#include "whorl/core/array.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// Throws ValueError or Unsupported, in one line, where the pipeline (Pipeline::parse) does not take complex images
/// [frame, z, y, x] of the scan, or does not give float32 images of the same extents, gray or complex.
void check_filter(const Scan& scan, const std::string& pipeline);

/// The images after the pipeline, each frame a volume; gray ones with an imaginary part of 0.
Array<std::complex<float>> filter_images(const Context& ctx, const Array<std::complex<float>>& images,
                                         const std::string& pipeline);

}  // namespace whorl::recon
