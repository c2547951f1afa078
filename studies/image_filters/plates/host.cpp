// The search for a shift on a CPU.
#include <algorithm>
#include <cstdint>
#include <limits>

#include "studies/image_filters/plates/plates.hpp"

namespace whorl::studies::image_filters {

namespace {

// The first of equal costs is the smallest shift in the order of the list.
template <class Cost>
PlateShift least_of(const ShiftList& shifts, const std::vector<Cost>& costs) {
  const auto least = std::min_element(costs.begin(), costs.end());
  return shifts.at(static_cast<int>(least - costs.begin()));
}

double squares_in_double(const Plate& fixed, const Plate& moving, const ComparedPart& part, const PlateShift& shift) {
  double sum = 0;
  for (int y = part.top; y < part.bottom; ++y) {
    for (int x = part.left; x < part.right; ++x) {
      const double difference = static_cast<double>(fixed.pixels[Index{y} * fixed.width + x]) -
                                moving.pixels[Index{y + shift.dy} * moving.width + x + shift.dx];
      sum += difference * difference;
    }
  }
  return sum;
}

// A row's sum of squares of bytes fits into 32 bits for up to 65,536 columns, so that vectors hold many.
std::uint64_t squares_in_integers(const Plate& fixed, const Plate& moving, const ComparedPart& part,
                                  const PlateShift& shift) {
  std::uint64_t sum = 0;
  for (int y = part.top; y < part.bottom; ++y) {
    const Byte* const a = fixed.pixels + Index{y} * fixed.width;
    const Byte* const b = moving.pixels + Index{y + shift.dy} * moving.width + shift.dx;
    std::uint32_t of_row = 0;
    for (int x = part.left; x < part.right; ++x) {
      const int difference = a[x] - b[x];
      of_row += static_cast<std::uint32_t>(difference * difference);
    }
    sum += of_row;
  }
  return sum;
}

template <class Cost, Cost (*squares)(const Plate&, const Plate&, const ComparedPart&, const PlateShift&)>
PlateShift best_shift(const Context& ctx, const Plate& fixed, const Plate& moving, const ShiftList& shifts) {
  const ComparedPart part(fixed, shifts.reach());
  std::vector<Cost> costs(static_cast<std::size_t>(shifts.count()));
#pragma omp parallel for schedule(dynamic) num_threads(ctx.threads())
  for (int i = 0; i < shifts.count(); ++i) {
    costs[static_cast<std::size_t>(i)] = squares(fixed, moving, part, shifts.at(i));
  }
  return least_of(shifts, costs);
}

std::vector<Byte> halved_on_host(const Context& ctx, const Plate& plate) {
  const int height = plate.height / 2;
  const int width = plate.width / 2;
  std::vector<Byte> half(static_cast<std::size_t>(height) * static_cast<std::size_t>(width));
#pragma omp parallel for schedule(static) num_threads(ctx.threads())
  for (int y = 0; y < height; ++y) {
    const Byte* const upper = plate.pixels + Index{2} * y * plate.width;
    const Byte* const lower = upper + plate.width;
    Byte* const to = half.data() + Index{y} * width;
    for (int x = 0; x < width; ++x) {
      const Index pair = Index{2} * x;
      to[x] = static_cast<Byte>((upper[pair] + upper[pair + 1] + lower[pair] + lower[pair + 1] + 2) / 4);
    }
  }
  return half;
}

PlateShift all_in_double(const Context& ctx, const Plate& fixed, const Plate& moving) {
  return best_shift<double, squares_in_double>(ctx, fixed, moving, {});
}

PlateShift all_in_integers(const Context& ctx, const Plate& fixed, const Plate& moving) {
  return best_shift<std::uint64_t, squares_in_integers>(ctx, fixed, moving, {});
}

PlateShift coarse_first(const Context& ctx, const Plate& fixed, const Plate& moving) {
  return search_from_coarse(
      fixed, moving, shift_range, [&](const Plate& plate) { return halved_on_host(ctx, plate); },
      [&](const Plate& a, const Plate& b, const ShiftList& shifts) {
        return best_shift<std::uint64_t, squares_in_integers>(ctx, a, b, shifts);
      });
}

}  // namespace

std::vector<PlateStep> plate_steps_on_host() {
  return {{"all shifts, double", all_in_double},
          {"integers, a row at a time", all_in_integers},
          {"halved plates first", coarse_first}};
}

}  // namespace whorl::studies::image_filters
