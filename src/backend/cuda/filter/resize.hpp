// Resized images, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/fused.hpp"

namespace whorl::backend::cuda {

template <class T>
void resize(const Context& ctx, const kernels::ResizeJob& job, const kernels::ResizeTaps<T>& rows,
            const kernels::ResizeTaps<T>& columns, const T* from, T* to);

/// Operations that fuses_points lets through, of uint8 and float32: as results are written alone.
template <class T>
void resize_fused(const Context& ctx, const kernels::ResizeJob& job, const kernels::ResizeTaps<T>& rows,
                  const kernels::ResizeTaps<T>& columns, const kernels::PointEnds& ends, const void* from, void* to);

}  // namespace whorl::backend::cuda
