// From the solver's images to those of the result.
#pragma once

#include <complex>

#include "recon/run.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::recon {

/// Sets the corners of the field of view of images [frame, z, y, x] to 0, and notes why.
void mask_corners(Run& run, const Scan& scan, ImageMask mask, Array<std::complex<float>>& images);

/// Images of data that were scaled to magnitudes near 1 become those of the data that were given: times 2^exponent. Throws
/// ValueError where float32 does not hold them, or, if they will be filtered, what filters square.
void restore_unit(Run& run, int exponent, bool filters, Array<std::complex<float>>& images);

/// Throws ShapeError if the filter changes the shape.
Array<std::complex<float>> filtered(Run& run, const ImageHook& filter, const Array<std::complex<float>>& images);

}  // namespace whorl::recon
