#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "whorl/core/error.hpp"
#include "whorl/scan/affine.hpp"

namespace whorl {

namespace {

using Vector = std::array<double, 3>;

// One program writes all positions and directions of a scan from the same numbers. A larger difference (mm, or the sine
// of an angle) means another slice.
constexpr double same = 1e-3;

// Slices form a stack if the distances between neighbors agree to this fraction.
constexpr double distance_tolerance = 0.01;

bool near(const Vector& a, const Vector& b) {
  return std::abs(a[0] - b[0]) <= same && std::abs(a[1] - b[1]) <= same && std::abs(a[2] - b[2]) <= same;
}

bool parallel(const Geometry& a, const Geometry& b) {
  return near(a.read_direction, b.read_direction) && near(a.phase_direction, b.phase_direction) &&
         near(a.slice_direction, b.slice_direction) && near(a.field_of_view_mm, b.field_of_view_mm);
}

// Frames of equal geometry, in their order.
struct Place {
  Geometry geometry;
  std::vector<Index> frames;
  double depth = 0;  // along the slice direction, mm
};

std::vector<Place> find_places(std::span<const Geometry> frames) {
  std::vector<Place> places;
  for (std::size_t frame = 0; frame < frames.size(); ++frame) {
    const auto found = std::find_if(places.begin(), places.end(), [&](const Place& place) {
      return near(place.geometry.position_mm, frames[frame].position_mm) && parallel(place.geometry, frames[frame]);
    });
    Place& place = found != places.end() ? *found : places.emplace_back(Place{frames[frame], {}, 0});
    place.frames.push_back(static_cast<Index>(frame));
  }
  return places;
}

// Sorts the positions along the slice direction. Returns why they are not a regular stack; empty if they are.
std::string sort_and_judge(std::vector<Place>& places) {
  const Geometry first = places.front().geometry;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!parallel(first, places[i].geometry)) {
      return fmt::format("slices 0 and {} differ in direction or field of view", i);
    }
    if (places[i].frames.size() != places.front().frames.size()) {
      return fmt::format("slice 0 has {} frames, slice {} has {}", places.front().frames.size(), i,
                         places[i].frames.size());
    }
    Vector offset{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      offset[axis] = places[i].geometry.position_mm[axis] - first.position_mm[axis];
      places[i].depth += offset[axis] * first.slice_direction[axis];
    }
    double aside = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      aside = std::max(aside, std::abs(offset[axis] - places[i].depth * first.slice_direction[axis]));
    }
    // Positions far apart multiply the rounding of the direction.
    if (aside > same * (1 + std::abs(places[i].depth))) {
      return fmt::format("slice {} lies {:.3g} mm aside of the line of slice 0", i, aside);
    }
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.depth < b.depth; });
  const double mean = (places.back().depth - places.front().depth) / static_cast<double>(places.size() - 1);
  for (std::size_t i = 1; i < places.size(); ++i) {
    const double distance = places[i].depth - places[i - 1].depth;
    if (std::abs(distance - mean) > distance_tolerance * mean) {
      return fmt::format("the distances of the slices are not equal: {:.4g} mm on average, {:.4g} mm at slice {}", mean,
                         distance, i);
    }
  }
  return {};
}

SliceStack regular_stack(const std::vector<Place>& places) {
  const std::size_t count = places.size();
  SliceStack stack{places.front().geometry, static_cast<Index>(count), {}};
  const double spacing = (places.back().depth - places.front().depth) / static_cast<double>(count - 1);
  stack.geometry.field_of_view_mm[2] = spacing * static_cast<double>(count);
  // The volume's position is that of voxel floor(N/2).
  stack.geometry.position_mm = places[count / 2].geometry.position_mm;
  for (std::size_t volume = 0; volume < places.front().frames.size(); ++volume) {
    for (const Place& place : places) stack.frames.push_back(place.frames[volume]);
  }
  return stack;
}

}  // namespace

SliceStacks stack_slices(std::span<const Geometry> frames, Index depth) {
  if (frames.empty()) throw ValueError("stacking slices: there are no frames");
  std::vector<Place> places = find_places(frames);
  SliceStacks result;
  if (places.size() > 1) {
    result.irregularity = depth > 1 ? "the volumes lie at different places" : sort_and_judge(places);
  }
  if (places.size() > 1 && result.irregularity.empty()) {
    result.stacks.push_back(regular_stack(places));
  } else {
    for (Place& place : places) result.stacks.push_back({place.geometry, 1, std::move(place.frames)});
  }
  return result;
}

}  // namespace whorl
