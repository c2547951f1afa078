// The seam between the server and the reconstruction: from a scan and choices to images.
#pragma once

#include <complex>
#include <functional>

#include "serve/frame_stream.hpp"
#include "serve/request.hpp"
#include "whorl/recon/reconstruction.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::serve {

/// A scan without noise of its own takes that from elsewhere, if the coils are as many.
void take_noise(const NoiseScan& noise, const Context& ctx, Scan& scan);

Reconstruction reconstruct_for(const Context& ctx, Scan scan, const ReconOptions& options);

/// Makes frames as the request says, and reconstructs. `send` is told of every image once, as early as there is one.
Reconstruction reconstruct_all(const Context& ctx, Scan scan, const Request& request,
                               const std::function<void(const ImageFrame&, ArrayRef<const std::complex<float>>)>& send);

}  // namespace whorl::serve
