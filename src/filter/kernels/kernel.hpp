// The slots of kernels of filters, and over which types of pixels a backend fills them.
#pragma once

#include <cstdint>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// Fills the slots of the filters' kernels, once per process.
void register_filters();

template <class Signature>
using FilterKernel = KernelOf<Signature, register_filters>;

/// fill(T()) for each type of integer that pixels may have.
template <class Fill>
void for_integer_types(const Fill& fill) {
  fill(std::uint8_t());
  fill(std::uint16_t());
}

/// fill(T()) for each type that pixels may have.
template <class Fill>
void for_pixel_types(const Fill& fill) {
  for_integer_types(fill);
  fill(float());
}

}  // namespace whorl::kernels
