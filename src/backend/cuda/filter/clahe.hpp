// Histogram equalization tile by tile, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/clahe.hpp"

namespace whorl::backend::cuda {

template <class T>
void clahe_tables(const Context& ctx, const ImageFormat& format, const kernels::ClaheTiles& tiles, const T* from,
                  T* tables);
template <class T>
void clahe_map(const Context& ctx, const ImageFormat& format, const kernels::ClaheTiles& tiles, const T* tables,
               const T* from, T* to);

}  // namespace whorl::backend::cuda
