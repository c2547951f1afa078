// An axial slice of a head: splines and ellipses, each inside the one whose tissue it replaces.
#include <cmath>
#include <numbers>
#include <vector>

#include "phantom/brain_parts.hpp"
#include "phantom/brain_tissues.hpp"
#include "phantom/checks.hpp"
#include "phantom/head_field.hpp"
#include "whorl/phantom/brain.hpp"

namespace whorl {
namespace detail {
namespace {

using Pair = std::array<double, 2>;
using Points = std::vector<Pair>;

void add(Phantom& phantom, Points points, const Tissue& what, const Tissue& around) {
  phantom.regions.push_back({Contour{ContourKind::spline, std::move(points)}, what - around});
}

void add_ellipse(Phantom& phantom, const Pair& center, const Pair& half_axes, double angle, const Tissue& what,
                 const Tissue& around) {
  phantom.regions.push_back(
      {Solid{SolidKind::ellipsoid, {center[0], center[1], 0}, {half_axes[0], half_axes[1], 1}, angle}, what - around});
}

// The head's outline, narrower at the forehead (negative y), times a scale.
Pair outline(double turn, double scale) {
  return {scale * 0.74 * std::cos(turn) * (1 + 0.06 * std::sin(turn)), scale * 0.93 * std::sin(turn)};
}

Points ring(double scale) {
  constexpr int count = 24;
  Points points;
  for (int i = 0; i < count; ++i) points.push_back(outline(2 * std::numbers::pi * i / count, scale));
  return points;
}

// How deep the sulci are, as a part of the outline's scale; other ones on each side.
constexpr std::array<std::array<double, 13>, 2> sulcus_depth{{
    {0.16, 0.27, 0.19, 0.3, 0.22, 0.38, 0.26, 0.19, 0.3, 0.2, 0.27, 0.18, 0.16},
    {0.19, 0.22, 0.3, 0.2, 0.26, 0.36, 0.21, 0.3, 0.19, 0.28, 0.21, 0.25, 0.16},
}};

constexpr double brain_scale = 0.85;
constexpr double cortex_thickness = 0.06;
constexpr double first_turn = -0.45;  // of the arc of gyri, in units of pi from the side of the head
constexpr double last_turn = 0.45;

// The angle of a place along the arc of gyri, counted in gyri.
double turn_of(double gyrus, std::size_t count) {
  return std::numbers::pi * (first_turn + (last_turn - first_turn) * gyrus / static_cast<double>(count));
}

// The outer side of a hemisphere, from the forehead to the back: narrow clefts between broad crowns.
Points pial_surface(std::size_t side) {
  const auto& depth = sulcus_depth[side];
  Points points;
  for (std::size_t i = 0; i < depth.size(); ++i) {
    const auto gyrus = static_cast<double>(i);
    points.push_back(outline(turn_of(gyrus + 0.1, depth.size()), brain_scale));
    points.push_back(outline(turn_of(gyrus + 0.5, depth.size()), brain_scale * 1.015));
    points.push_back(outline(turn_of(gyrus + 0.9, depth.size()), brain_scale));
    if (i + 1 < depth.size()) points.push_back(outline(turn_of(gyrus + 1, depth.size()), brain_scale - depth[i]));
  }
  return points;
}

// White matter below it: fingers into the crowns, broad bays below the clefts.
Points white_surface(std::size_t side) {
  const auto& depth = sulcus_depth[side];
  Points points;
  for (std::size_t i = 0; i < depth.size(); ++i) {
    const auto gyrus = static_cast<double>(i);
    const double crown = brain_scale - cortex_thickness;
    points.push_back(outline(turn_of(gyrus + 0.4, depth.size()), crown));
    points.push_back(outline(turn_of(gyrus + 0.6, depth.size()), crown));
    if (i + 1 == depth.size()) break;
    const double bay = brain_scale - 0.68 * depth[i] - cortex_thickness;
    points.push_back(outline(turn_of(gyrus + 0.8, depth.size()), bay));
    points.push_back(outline(turn_of(gyrus + 1.2, depth.size()), bay));
  }
  return points;
}

// The inner sides run back from y > 0 to y < 0: near the middle the white matter comes close to the midline.
void close_pial(Points& points) {
  for (const Pair& place :
       {Pair{0.05, 0.77}, Pair{0.018, 0.7}, Pair{0.018, 0.6}, Pair{0.1, 0.56}, Pair{0.018, 0.52}, Pair{0.016, 0.42},
        Pair{0.07, 0.385}, Pair{0.016, 0.35}, Pair{0.014, 0.2}, Pair{0.014, 0}, Pair{0.014, -0.2}, Pair{0.016, -0.36},
        Pair{0.07, -0.395}, Pair{0.016, -0.43}, Pair{0.018, -0.53}, Pair{0.1, -0.57}, Pair{0.018, -0.61},
        Pair{0.018, -0.7}, Pair{0.05, -0.77}}) {
    points.push_back(place);
  }
}

void close_white(Points& points) {
  for (const Pair& place : {Pair{0.09, 0.65}, Pair{0.14, 0.56}, Pair{0.07, 0.47}, Pair{0.12, 0.385}, Pair{0.06, 0.31},
                            Pair{0.032, 0.2}, Pair{0.032, 0}, Pair{0.032, -0.2}, Pair{0.06, -0.31}, Pair{0.12, -0.395},
                            Pair{0.07, -0.48}, Pair{0.14, -0.57}, Pair{0.09, -0.66}}) {
    points.push_back(place);
  }
}

Points mirrored(Points points, double side) {
  for (Pair& place : points) place[0] *= side;
  return points;
}

void add_hemisphere(Phantom& phantom, std::size_t number) {
  const double side = number == 0 ? 1 : -1;
  Points pial = pial_surface(number);
  close_pial(pial);
  add(phantom, mirrored(std::move(pial), side), tissue::gray_matter, tissue::fluid);
  Points white = white_surface(number);
  close_white(white);
  add(phantom, mirrored(std::move(white), side), tissue::white_matter, tissue::gray_matter);
  const Points ventricle{{0.06, -0.22}, {0.1, -0.3},  {0.18, -0.34}, {0.15, -0.2}, {0.1, -0.06}, {0.11, 0.06},
                         {0.19, 0.18},  {0.26, 0.32}, {0.2, 0.38},   {0.13, 0.26}, {0.06, 0.1},  {0.05, -0.08}};
  add(phantom, mirrored(ventricle, side), tissue::fluid, tissue::white_matter);
  // Caudate nucleus, putamen, thalamus.
  add_ellipse(phantom, {side * 0.205, -0.23}, {0.04, 0.09}, side * 0.25, tissue::deep_gray, tissue::white_matter);
  add_ellipse(phantom, {side * 0.335, -0.06}, {0.045, 0.15}, side * -0.15, tissue::deep_gray, tissue::white_matter);
  add_ellipse(phantom, {side * 0.215, 0.05}, {0.055, 0.09}, side * -0.3, tissue::deep_gray, tissue::white_matter);
}

}  // namespace

Phantom brain_2d() {
  Phantom phantom{"brain", 2, {}, head_field(2)};
  add(phantom, ring(1), tissue::scalp, tissue::air);
  add(phantom, ring(0.95), tissue::bone, tissue::scalp);
  add(phantom, ring(0.88), tissue::fluid, tissue::bone);
  add_hemisphere(phantom, 0);
  add_hemisphere(phantom, 1);
  // Lesions in the white matter, of three sizes.
  add_ellipse(phantom, {0.32, -0.33}, {0.035, 0.05}, 0.5, tissue::lesion, tissue::white_matter);
  add_ellipse(phantom, {-0.33, 0.22}, {0.028, 0.022}, 0, tissue::lesion, tissue::white_matter);
  add_ellipse(phantom, {-0.26, -0.4}, {0.014, 0.014}, 0, tissue::lesion, tissue::white_matter);
  return phantom;
}

}  // namespace detail

Phantom brain_phantom(int dim) {
  detail::check_dim(dim, "brain");
  return dim == 2 ? detail::brain_2d() : detail::brain_3d();
}

}  // namespace whorl
