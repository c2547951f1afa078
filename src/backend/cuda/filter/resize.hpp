// Resized images, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/resize.hpp"

namespace whorl::backend::cuda {

template <class T>
void resize(const Context& ctx, const kernels::ResizeJob& job, const kernels::ResizeTaps<T>& rows,
            const kernels::ResizeTaps<T>& columns, const T* from, T* to);

}  // namespace whorl::backend::cuda
