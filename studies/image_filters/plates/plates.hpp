// The alignment of plates, which the report's program has and nobody sped up: the shift of a moving plate with the least
// mean squared difference to a fixed one.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "studies/image_filters/job.hpp"
#include "studies/results.hpp"
#include "whorl/core/array.hpp"

namespace whorl::studies::image_filters {

/// Shifts that are searched, in pixels in each direction, as the program does.
inline constexpr int shift_range = 15;

struct PlateShift {
  int dy = 0;
  int dx = 0;
  friend bool operator==(const PlateShift&, const PlateShift&) = default;
};

/// A gray plate, [height, width] on the context's device.
struct Plate {
  const Byte* pixels = nullptr;
  int height = 0;
  int width = 0;
};

/// The pixels of the fixed plate that are compared: a tenth of the extent is left out on each side, and at least `range`
/// pixels, so that every shift has them all.
struct ComparedPart {
  int top, bottom, left, right;
  constexpr ComparedPart(const Plate& plate, int range)
      : top(margin(plate.height, range)),
        bottom(plate.height - top),
        left(margin(plate.width, range)),
        right(plate.width - left) {}
  static constexpr int margin(int extent, int range) { return extent / 10 > range ? extent / 10 : range; }
};

/// Shifts (dy, dx) with |dy - around.dy| and |dx - around.dx| up to a radius, row by row.
struct ShiftList {
  PlateShift around;
  int radius = shift_range;
  constexpr int count() const { return (2 * radius + 1) * (2 * radius + 1); }
  constexpr PlateShift at(int i) const {
    return {around.dy + i / (2 * radius + 1) - radius, around.dx + i % (2 * radius + 1) - radius};
  }
  constexpr int reach() const {
    const int dy = around.dy < 0 ? -around.dy : around.dy;
    const int dx = around.dx < 0 ? -around.dx : around.dx;
    return radius + (dy > dx ? dy : dx);
  }
};

/// A way to search: moving(y + dy, x + dx) shows what fixed(y, x) does.
struct PlateStep {
  std::string name;
  std::function<PlateShift(const Context&, const Plate& fixed, const Plate& moving)> run;
};

/// All shifts in double precision; in integers, a row at a time; the same on halved plates first.
std::vector<PlateStep> plate_steps_on_host();
/// A block for each shift, in double precision and in integers; halved plates first. None where whorl is built without.
std::vector<PlateStep> plate_steps_on_gpu();

/// Halves plates while the smaller side stays at least 64 pixels, searches the range of the coarsest and then two pixels
/// around twice what it found.
template <class Halve, class Best>
PlateShift search_from_coarse(const Plate& fixed, const Plate& moving, int range, const Halve& halve,
                              const Best& best) {
  constexpr int least_side = 64;
  constexpr int refined = 2;
  const int smaller = fixed.height < fixed.width ? fixed.height : fixed.width;
  if (smaller / 2 < least_side || range < refined) return best(fixed, moving, ShiftList{{}, range});
  const auto half_fixed = halve(fixed);
  const auto half_moving = halve(moving);
  const auto half = [](const Plate& plate, const Byte* pixels) {
    return Plate{pixels, plate.height / 2, plate.width / 2};
  };
  const PlateShift coarse =
      search_from_coarse(half(fixed, half_fixed.data()), half(moving, half_moving.data()), range / 2 + 1, halve, best);
  return best(fixed, moving, ShiftList{{2 * coarse.dy, 2 * coarse.dx}, refined});
}

/// Blue, green and red plates of `height` x `width` pixels, one under the other as `align` takes them, of a scene that is
/// shifted by known pixels in two of them.
struct PlateTrio {
  Array<Byte> pixels;  ///< [3 height, width]
  int height = 0;
  int width = 0;
  Plate plate(int number) const { return {pixels.data() + Index{number} * height * width, height, width}; }
};
inline constexpr std::array<PlateShift, 3> plate_shifts{{{7, -4}, {0, 0}, {-9, 12}}};
PlateTrio make_plates(const Context& ctx, int height, int width);

/// Times of both searches for the report's small picture and one of size x size; pixels by which what was found is wrong.
Table plates_table(const Context& ctx, Index size);

}  // namespace whorl::studies::image_filters
