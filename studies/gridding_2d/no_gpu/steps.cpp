#include "studies/gridding_2d/step.hpp"
#include "studies/gridding_2d/volume.hpp"

namespace whorl::studies::gridding_2d {

std::vector<Step> gpu_steps() { return {}; }
std::vector<Step> gpu_ways() { return {}; }
std::vector<Step> gpu_lookups() { return {}; }
std::vector<VolumeStep> gpu_volume_steps() { return {}; }
std::vector<VolumeStep> gpu_volume_sector_steps() { return {}; }

}  // namespace whorl::studies::gridding_2d
