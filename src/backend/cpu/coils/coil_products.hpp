// Products of lines with coil sensitivities.
#pragma once

#include <complex>

#include "whorl/core/shape.hpp"

namespace whorl::backend::cpu {

/// y = map * x
void multiply_line(Index points, const std::complex<float>* map, const std::complex<float>* x, std::complex<float>* y);
void multiply_line(Index points, const std::complex<double>* map, const std::complex<double>* x,
                   std::complex<double>* y);

/// x += conj(map) * y
void add_conjugate_products(Index points, const std::complex<float>* map, const std::complex<float>* y,
                            std::complex<float>* x);
void add_conjugate_products(Index points, const std::complex<double>* map, const std::complex<double>* y,
                            std::complex<double>* x);

}  // namespace whorl::backend::cpu
