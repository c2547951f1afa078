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

constexpr Triple hemisphere{0.28, 0, 0.22};  // center, on the side of positive x
constexpr Triple cortex{0.26, 0.64, 0.42};
constexpr Triple white{0.185, 0.55, 0.33};

// Flat pockets of fluid in the cortex, across its outer side, in three layers.
void add_sulci(Phantom& phantom, double side) {
  constexpr int sulci = 9;
  for (const double height : {-0.2, 0.0, 0.2}) {
    const double shrink = std::sqrt(1 - std::pow(height / ((cortex[2] + white[2]) / 2), 2));
    for (int number = 0; number < sulci; ++number) {
      const double turn = std::numbers::pi * (-0.42 + 0.84 * number / (sulci - 1.0));
      const double x = shrink * (cortex[0] + white[0]) / 2 * std::cos(turn);
      const double y = shrink * (cortex[1] + white[1]) / 2 * std::sin(turn);
      // Along the normal of the ellipse.
      const double angle = std::atan2(y / std::pow(cortex[1], 2), x / std::pow(cortex[0], 2));
      add(phantom, {side * (hemisphere[0] + x), hemisphere[1] + y, hemisphere[2] + height},
          {0.025, 0.01, height == 0 ? 0.09 : 0.045}, side * angle, tissue::fluid, tissue::gray_matter);
    }
  }
}

void add_hemisphere(Phantom& phantom, double side) {
  const auto at = [&](double x, double y, double z) { return Triple{side * x, y, z}; };
  add(phantom, at(hemisphere[0], hemisphere[1], hemisphere[2]), cortex, 0, tissue::gray_matter, tissue::fluid);
  add(phantom, at(hemisphere[0], hemisphere[1], hemisphere[2]), white, 0, tissue::white_matter, tissue::gray_matter);
  add_sulci(phantom, side);
  add(phantom, at(0.16, 0, 0.22), {0.03, 0.25, 0.09}, side * -0.1, tissue::fluid, tissue::white_matter);
  add(phantom, at(0.29, -0.04, 0.16), {0.04, 0.12, 0.08}, 0, tissue::deep_gray, tissue::white_matter);
  add(phantom, at(0.24, 0.15, 0.16), {0.035, 0.07, 0.06}, 0, tissue::deep_gray, tissue::white_matter);
  // The ear canal.
  add(phantom, at(0.36, 0.05, -0.6), {0.07, 0.07, 0.07}, 0, tissue::air, tissue::muscle);
}

}  // namespace

Phantom brain_3d() {
  Phantom phantom{"brain", 3, {}, head_field(3)};
  add(phantom, {0, 0, -0.02}, {0.72, 0.92, 0.96}, 0, tissue::scalp, tissue::air);
  add(phantom, {0, 0, -0.02}, {0.69, 0.88, 0.92}, 0, tissue::muscle, tissue::scalp);
  add(phantom, {0, 0.02, 0.12}, {0.66, 0.845, 0.745}, 0, tissue::bone, tissue::muscle);
  add(phantom, {0, 0.02, 0.12}, {0.62, 0.8, 0.7}, 0, tissue::fluid, tissue::bone);
  add_hemisphere(phantom, 1);
  add_hemisphere(phantom, -1);
  // Corpus callosum, cerebellum, brain stem.
  add(phantom, {0, 0, 0.22}, {0.018, 0.25, 0.04}, 0, tissue::white_matter, tissue::fluid);
  add(phantom, {0, 0.36, -0.28}, {0.28, 0.2, 0.13}, 0, tissue::gray_matter, tissue::fluid);
  add(phantom, {0, 0.36, -0.28}, {0.2, 0.13, 0.07}, 0, tissue::white_matter, tissue::gray_matter);
  add(phantom, {0, 0.06, -0.36}, {0.08, 0.08, 0.18}, 0, tissue::white_matter, tissue::fluid);
  // The sphenoid sinus.
  add(phantom, {0, -0.46, -0.64}, {0.1, 0.1, 0.1}, 0, tissue::air, tissue::muscle);
  // Lesions in the white matter, of three sizes.
  add(phantom, {0.3, -0.3, 0.3}, {0.05, 0.06, 0.05}, 0.3, tissue::lesion, tissue::white_matter);
  add(phantom, {-0.3, 0.28, 0.26}, {0.035, 0.03, 0.03}, 0, tissue::lesion, tissue::white_matter);
  add(phantom, {-0.34, -0.22, 0.3}, {0.02, 0.02, 0.02}, 0, tissue::lesion, tissue::white_matter);
  return phantom;
}

}  // namespace whorl::detail
