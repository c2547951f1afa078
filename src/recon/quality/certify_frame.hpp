// The certificate of a frame of a reconstruction.
#pragma once

#include <string>
#include <vector>

#include "recon/least_squares_recon.hpp"
#include "recon/run.hpp"
#include "whorl/core/note.hpp"
#include "whorl/recon/certificate.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// Throws ValueError if too few samples are requested, or if the method has no encoding operator.
void check_certificate(const ReconOptions& options);

/// Certificate of the encoding of a frame, by the scan's times and the maps of the options.
Certificate certify_frame(Run& run, const Scan& scan, const ScanFrame& frame, const Operator<float>& encoding,
                          ArrayRef<const std::complex<float>> maps, ArrayRef<const std::complex<float>> image,
                          const ReconOptions& options);

/// Bytes on the device: predicted samples; on a CPU also maps and image in double, and the evolution.
Index certificate_memory(const Context& ctx, const LeastSquaresSizes& sizes, const Shape& image, Index coils,
                         const ReconOptions& options);

/// Sentences on the result: the slice with the largest bound.
void note_certificates(const std::vector<Certificate>& certificates, Notes& notes);

}  // namespace whorl::recon
