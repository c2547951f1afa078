// Images of half as many rows and columns, of means of two by two pixels.
#pragma once

#include <cstdint>

#include "whorl/core/view.hpp"

namespace whorl::backend::cpu {

/// `width` pixels from twice as many of each of two rows.
void halve_rows(const std::uint8_t* a, const std::uint8_t* b, Index width, Index channels, std::uint8_t* to);
void halve_rows(const std::uint16_t* a, const std::uint16_t* b, Index width, Index channels, std::uint16_t* to);
void halve_rows(const float* a, const float* b, Index width, Index channels, float* to);

}  // namespace whorl::backend::cpu
