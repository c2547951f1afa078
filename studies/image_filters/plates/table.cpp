// The plates, and the table of the searches.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <numbers>

#include "bench/timing.hpp"
#include "studies/image_filters/filter_ladder.hpp"
#include "studies/image_filters/plates/plates.hpp"
#include "whorl/filter/geometry/align.hpp"

namespace whorl::studies::image_filters {

namespace {

constexpr int blue = 0;
constexpr int green = 1;
constexpr int red = 2;

// Waves of many lengths, which match in no other place; 0 to 1.
double scene_at(double y, double x) {
  double sum = 0;
  double size = 0;
  double frequency = 0.003;
  for (int i = 0; i < 12; ++i) {
    const double direction = 2.4 * i;  // an angle that no other comes back to
    const double turns = frequency * (std::cos(direction) * x + std::sin(direction) * y) + 0.37 * i;
    const double weight = 1 / (1 + 0.2 * i);
    sum += weight * std::sin(2 * std::numbers::pi * turns);
    size += weight;
    frequency *= 1.37;
  }
  return 0.5 + 0.5 * sum / size;
}

int pixels_off(const PlateShift& found, const PlateShift& expected) {
  return std::abs(found.dy - expected.dy) + std::abs(found.dx - expected.dx);
}

struct Found {
  PlateShift red;
  PlateShift blue;
  double off() const { return pixels_off(red, plate_shifts[2]) + pixels_off(blue, plate_shifts[0]); }
};

/// The plates as a picture for the library.
Image picture_of(const Context& ctx, const PlateTrio& plates) {
  Image image(ctx, {PixelType::uint8, Channels::gray, 1, 1, Index{3} * plates.height, plates.width});
  copy<Byte>(ctx, plates.pixels.ref().reshape(image.pixels<Byte>().shape()), image.pixels<Byte>());
  return image;
}

struct Times {
  std::vector<std::string> names;
  std::vector<double> ms;
  std::vector<double> off;
};

Times times_of(const Context& ctx, const PlateTrio& plates) {
  Times times;
  const auto add = [&](const std::string& name, const std::function<Found()>& work) {
    Found found;
    times.names.push_back(name);
    times.ms.push_back(bench::time_work(ctx, bench::Effort::brief, [&] { found = work(); }).median_ms);
    times.off.push_back(found.off());
    ctx.check_cancel("image_filters");
  };
  for (const PlateStep& step : ctx.device().kind == DeviceKind::cuda ? plate_steps_on_gpu() : plate_steps_on_host()) {
    add(step.name, [&] {
      return Found{step.run(ctx, plates.plate(green), plates.plate(red)),
                   step.run(ctx, plates.plate(green), plates.plate(blue))};
    });
  }
  const Image picture = picture_of(ctx, plates);
  add("align (the library)", [&] {
    const PlateShifts shifts = find_plate_shifts(ctx, picture, {});
    const auto whole = [](const Shift& shift) {
      return PlateShift{static_cast<int>(std::lround(shift.dy)), static_cast<int>(std::lround(shift.dx))};
    };
    return Found{whole(shifts.red), whole(shifts.blue)};
  });
  return times;
}

}  // namespace

PlateTrio make_plates(const Context& ctx, int height, int width) {
  const Context host = ctx.host();
  Array<Byte> pixels(host, {Index{3} * height, width});
#pragma omp parallel for schedule(static) num_threads(host.threads())
  for (int row = 0; row < 3 * height; ++row) {
    const PlateShift& shift = plate_shifts[static_cast<std::size_t>(row / height)];
    for (int x = 0; x < width; ++x) {
      constexpr double levels = 255;
      const double level = levels * scene_at(row % height - shift.dy, x - shift.dx);
      pixels.data()[Index{row} * width + x] = rounded_level(level);
    }
  }
  return {clone(ctx, pixels.ref()), height, width};
}

Table plates_table(const Context& ctx, Index size) {
  constexpr Index least_height = 96;
  const auto plate_height = [&](Index height) { return static_cast<int>(std::max(height / 3, least_height)); };
  const PlateTrio small =
      make_plates(ctx, plate_height(small_height(size)), static_cast<int>(std::max(small_width(size), least_height)));
  const PlateTrio large = make_plates(ctx, plate_height(size), static_cast<int>(std::max(size, least_height)));
  Table table{"align",
              fmt::format("Alignment of three plates of {} x {} pixels, shifts of up to {}; searches alone",
                          large.width, large.height, shift_range),
              {"step", "ms", "x first", "pixels off", "small ms", "small x first"},
              {}};
  const Times times = times_of(ctx, large);
  const Times small_times = times_of(ctx, small);
  for (std::size_t i = 0; i < times.ms.size(); ++i) {
    table.rows.push_back({times.names[i], times.ms[i], i == 0 ? Cell() : Cell(times.ms[0] / times.ms[i]),
                          times.off[i] + small_times.off[i], small_times.ms[i],
                          i == 0 ? Cell() : Cell(small_times.ms[0] / small_times.ms[i])});
  }
  return table;
}

}  // namespace whorl::studies::image_filters
