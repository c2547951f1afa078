// The seam between the server and the reconstruction: from a scan and choices to images.
#pragma once

#include <complex>
#include <functional>

#include "serve/request.hpp"
#include "whorl/recon/reconstruction.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::serve {

Reconstruction reconstruct_for(const Context& ctx, Scan scan, const ReconOptions& options);

/// Makes frames as the request says, and reconstructs. `send` is told of every image once, as early as there is one.
Reconstruction reconstruct_all(const Context& ctx, Scan scan, const Request& request,
                               const std::function<void(const ImageFrame&, ArrayRef<const std::complex<float>>)>& send);

}  // namespace whorl::serve
