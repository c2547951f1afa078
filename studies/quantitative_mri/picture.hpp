// The strip of images: the truth and every reconstruction, one window for all.
#pragma once

#include <span>

#include "studies/quantitative_mri/trial.hpp"
#include "whorl/plot/picture.hpp"

namespace whorl::studies::quantitative_mri {

/// Central axial slices, with name and SNR below each, of the images from one set of the scan's data.
Picture strip(const Trial& trial, std::span<const Row> rows, std::size_t set);

}  // namespace whorl::studies::quantitative_mri
