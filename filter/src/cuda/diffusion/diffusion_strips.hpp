// Explicit steps of diffusion in strips of planes.
#pragma once

#include "filter/src/kernels/diffusion/diffusion.hpp"

namespace whorl::backend::cuda {

/// Makes as many steps as are a multiple of those that a strip makes at once, on planes; returns their number.
Index step_heat_strips(const Context& ctx, const ImageFormat& format, const kernels::ExplicitSteps& steps,
                       const kernels::HeatRule& rule, Array<float>& image);
Index step_perona_malik_strips(const Context& ctx, const ImageFormat& format, const kernels::ExplicitSteps& steps,
                               const kernels::PeronaMalikRule& rule, Array<float>& image);

}  // namespace whorl::backend::cuda
