// Resized images, on a CPU.
#pragma once

#include "kernels/filter/fused.hpp"
#include "kernels/filter/resize.hpp"

namespace whorl::backend::cpu {

template <class T>
void resize(const Context& ctx, const kernels::ResizeJob& job, const kernels::ResizeTaps<T>& rows,
            const kernels::ResizeTaps<T>& columns, const T* from, T* to);
template <class T>
void resize_fused(const Context& ctx, const kernels::ResizeJob& job, const kernels::ResizeTaps<T>& rows,
                  const kernels::ResizeTaps<T>& columns, const kernels::PointEnds& ends, const void* from, void* to);

}  // namespace whorl::backend::cpu
