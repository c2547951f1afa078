// Histogram equalization tile by tile, on a CPU.
#pragma once

#include "kernels/filter/clahe.hpp"

namespace whorl::backend::cpu {

template <class T>
void clahe_tables(const Context& ctx, const ImageFormat& format, const kernels::ClaheTiles& tiles, const T* from,
                  T* tables);
template <class T>
void clahe_map(const Context& ctx, const ImageFormat& format, const kernels::ClaheTiles& tiles, const T* tables,
               const T* from, T* to);

}  // namespace whorl::backend::cpu
