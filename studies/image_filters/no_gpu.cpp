// The versions for a GPU where whorl is built without: none.
#include "studies/image_filters/autocontrast.hpp"
#include "studies/image_filters/banks.hpp"
#include "studies/image_filters/canny/canny.hpp"
#include "studies/image_filters/convolution/convolution.hpp"
#include "studies/image_filters/gray_world.hpp"
#include "studies/image_filters/median/median.hpp"
#include "studies/image_filters/plates/plates.hpp"
#include "studies/image_filters/resize.hpp"

namespace whorl::studies::image_filters {

std::vector<Step> convolution_on_gpu(const Context& /*ctx*/, const Window& /*window*/) { return {}; }
Step separable_on_gpu(const Context& /*ctx*/, const Window& /*window*/) { return {}; }
std::vector<Step> canny_on_gpu(const Context& /*ctx*/) { return {}; }
std::vector<Step> thinning_on_gpu(const Context& /*ctx*/, const Job& /*job*/) { return {}; }
std::vector<Step> hysteresis_on_gpu(const Context& /*ctx*/, const Job& /*job*/) { return {}; }
std::vector<Step> gray_world_on_gpu() { return {}; }
std::vector<Step> autocontrast_on_gpu() { return {}; }
std::vector<Step> bank_steps() { return {}; }
std::vector<Step> median_on_gpu() { return {}; }
std::vector<PlateStep> plate_steps_on_gpu() { return {}; }
std::vector<Step> resize_on_gpu() { return {}; }

}  // namespace whorl::studies::image_filters
