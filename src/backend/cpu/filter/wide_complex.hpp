// Numbers of pixels as complex double and back, on a CPU.
#pragma once

#include "kernels/filter/wide_complex.hpp"

namespace whorl::backend::cpu {

template <class T>
void widen(const Context& ctx, Index count, bool pairs, const T* from, std::complex<double>* to);

template <class T>
void narrow(const Context& ctx, Index count, bool pairs, const std::complex<double>* a, const std::complex<double>* b,
            T* to);

}  // namespace whorl::backend::cpu
