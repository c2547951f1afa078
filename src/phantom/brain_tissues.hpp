// Private: the tissues of the brain phantoms.
#pragma once

#include "whorl/phantom/phantom.hpp"

namespace whorl::detail::tissue {

// Intensity as in a T1-weighted image, R2* in 1/s at 3 T, off-resonance in Hz (fat 3.4 ppm below water).
inline constexpr Tissue air{0, 0, 0};
inline constexpr Tissue scalp{0.8, 30, -434};
inline constexpr Tissue muscle{0.45, 30, 0};
inline constexpr Tissue bone{0.06, 400, 0};
inline constexpr Tissue fluid{0.2, 1.5, 0};
inline constexpr Tissue gray_matter{0.6, 16, 0};
inline constexpr Tissue white_matter{1, 20, 0};
inline constexpr Tissue deep_gray{0.7, 35, 0};
inline constexpr Tissue lesion{0.4, 12, 0};

}  // namespace whorl::detail::tissue
