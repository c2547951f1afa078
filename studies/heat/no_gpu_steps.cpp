#include "studies/heat/adi_steps.hpp"

namespace whorl::studies::heat {

std::vector<PlaneStep> gpu_plane_steps() { return {}; }
std::vector<PlaneStep> gpu_adi_steps() { return {}; }
std::vector<LineStep> gpu_line_steps() { return {}; }

}  // namespace whorl::studies::heat
