// The head in three dimensions: ellipsoids, each inside the one whose tissue it replaces.
#include <cmath>
#include <numbers>

#include "phantom/brain_parts.hpp"
#include "phantom/brain_tissues.hpp"
#include "phantom/head_field.hpp"

namespace whorl::detail {
namespace {

using Triple = std::array<double, 3>;

void add(Phantom& phantom, const Triple& center, const Triple& half_axes, double angle, const Tissue& what,
         const Tissue& around) {
  phantom.regions.push_back({Solid{SolidKind::ellipsoid, center, half_axes, angle}, what - around});
}

constexpr Triple brain_center{0, 0.02, 0.22};
constexpr Triple brain{0.575, 0.75, 0.52};
constexpr double sulcus_scale = 0.936;  // of the brain's surface

// Flat pockets of fluid in the cortex, across its outer side, in three layers.
void add_sulci(Phantom& phantom, double side) {
  constexpr int sulci = 9;
  for (const double height : {-0.2, 0.0, 0.2}) {
    const double scale = sulcus_scale * std::sqrt(1 - std::pow(height / brain[2], 2));
    for (int number = 0; number < sulci; ++number) {
      const double turn = std::numbers::pi * (-0.42 + 0.84 * number / (sulci - 1.0));
      const double x = scale * brain[0] * std::cos(turn);
      const double y = scale * brain[1] * std::sin(turn);
      // Along the normal of the ellipse.
      const double angle = std::atan2(y / std::pow(brain[1], 2), x / std::pow(brain[0], 2));
      add(phantom, {side * x, brain_center[1] + y, brain_center[2] + height},
          {0.024, 0.012, height == 0 ? 0.09 : 0.035}, side * angle, tissue::fluid, tissue::gray_matter);
    }
  }
}

void add_solid_hemisphere(Phantom& phantom, double side) {
  const auto at = [&](double x, double y, double z) { return Triple{side * x, y, z}; };
  add(phantom, at(0.26, 0.02, 0.2), {0.19, 0.55, 0.36}, 0, tissue::white_matter, tissue::gray_matter);
  add_sulci(phantom, side);
  // Lateral ventricle, putamen, thalamus.
  add(phantom, at(0.13, 0.02, 0.22), {0.03, 0.25, 0.09}, side * -0.1, tissue::fluid, tissue::white_matter);
  add(phantom, at(0.29, -0.02, 0.16), {0.04, 0.12, 0.08}, 0, tissue::deep_gray, tissue::white_matter);
  add(phantom, at(0.22, 0.17, 0.16), {0.035, 0.07, 0.06}, 0, tissue::deep_gray, tissue::white_matter);
  // The ear canal.
  add(phantom, at(0.36, 0.05, -0.6), {0.07, 0.07, 0.07}, 0, tissue::air, tissue::muscle);
}

}  // namespace

Phantom brain_3d() {
  Phantom phantom{"brain", 3, {}, head_field(3)};
  add(phantom, {0, 0, -0.02}, {0.72, 0.92, 0.96}, 0, tissue::scalp, tissue::air);
  add(phantom, {0, 0, -0.02}, {0.69, 0.88, 0.92}, 0, tissue::muscle, tissue::scalp);
  add(phantom, {0, 0, 0.12}, {0.66, 0.845, 0.735}, 0, tissue::bone, tissue::muscle);
  add(phantom, {0, 0, 0.12}, {0.62, 0.8, 0.7}, 0, tissue::fluid, tissue::bone);
  add(phantom, brain_center, brain, 0, tissue::gray_matter, tissue::fluid);
  add_solid_hemisphere(phantom, 1);
  add_solid_hemisphere(phantom, -1);
  // The fissure between the hemispheres, corpus callosum, cerebellum, brain stem.
  add(phantom, {0, 0.02, 0.5}, {0.014, 0.55, 0.18}, 0, tissue::fluid, tissue::gray_matter);
  add(phantom, {0, 0.02, 0.26}, {0.06, 0.25, 0.03}, 0, tissue::white_matter, tissue::gray_matter);
  add(phantom, {0, 0.36, -0.36}, {0.28, 0.16, 0.1}, 0, tissue::gray_matter, tissue::fluid);
  add(phantom, {0, 0.36, -0.36}, {0.2, 0.11, 0.055}, 0, tissue::white_matter, tissue::gray_matter);
  add(phantom, {0, 0.1, -0.43}, {0.08, 0.07, 0.11}, 0, tissue::white_matter, tissue::fluid);
  // The sphenoid sinus.
  add(phantom, {0, -0.46, -0.64}, {0.1, 0.1, 0.1}, 0, tissue::air, tissue::muscle);
  // Lesions in the white matter, of three sizes.
  add(phantom, {0.3, -0.28, 0.3}, {0.05, 0.06, 0.05}, 0.3, tissue::lesion, tissue::white_matter);
  add(phantom, {-0.3, 0.3, 0.26}, {0.035, 0.03, 0.03}, 0, tissue::lesion, tissue::white_matter);
  add(phantom, {-0.33, -0.22, 0.3}, {0.02, 0.02, 0.02}, 0, tissue::lesion, tissue::white_matter);
  return phantom;
}

}  // namespace whorl::detail
