// Removal of Gibbs ringing, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/gibbs.hpp"

namespace whorl::backend::cuda {

void gibbs_split(const Context& ctx, const kernels::GibbsPlanes& planes, const double* cos_x, const double* cos_y,
                 std::complex<double>* spectrum, std::complex<double>* along_x);

void transpose_planes(const Context& ctx, Index planes, Index rows, Index columns, const std::complex<double>* from,
                      std::complex<double>* to);

void gibbs_shift(const Context& ctx, Index lines, Index length, const std::complex<double>* factors,
                 const std::complex<double>* spectrum, std::complex<double>* to);

void gibbs_choose(const Context& ctx, const kernels::GibbsWindow& window, const std::complex<double>* shifted,
                  double* least, std::complex<double>* result);

}  // namespace whorl::backend::cuda
