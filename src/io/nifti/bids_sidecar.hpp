// The sidecar of a NIfTI image by the Brain Imaging Data Structure: its measurement, as JSON.
#pragma once

#include <span>
#include <string>

#include "whorl/io/measurement_facts.hpp"
#include "whorl/scan/image_frame.hpp"

namespace whorl::io {

/// What is known, by the names and units of BIDS (seconds, tesla, degrees). `frames`: of the image's volumes;
/// `interval_ms`: from one to the next, 0: no times; `is_volume`: of a 3D encoding. What is not known is left out.
///
/// Source  BIDS 1.10, "Magnetic Resonance Imaging", and its glossary of metadata
std::string bids_sidecar(const MeasurementFacts& facts, std::span<const ImageFrame> frames, double interval_ms,
                         bool is_volume);

}  // namespace whorl::io
