#include "filter/filters/geometry/find_shift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "filter/filters/geometry/warp.hpp"
#include "filter/kernels/geometry/shift_sums.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/geometry/crop.hpp"
#include "whorl/filter/geometry/resize.hpp"

namespace whorl {

namespace {

// The radius on each finer image: one pixel because halving may drop a pixel of an odd extent, and one more.
constexpr Index refinement = 2;

struct WholeShift {
  Index dy = 0;
  Index dx = 0;
  double score = 0;
};

// Smaller is better. None if all values are equal, because there is nothing to correlate.
template <class T>
std::optional<double> cost_of(const kernels::ShiftSums<T>& sums, Index pixels, ShiftScore score) {
  const auto n = static_cast<double>(pixels);
  const auto a = static_cast<double>(sums.fixed);
  const auto b = static_cast<double>(sums.moving);
  if (score == ShiftScore::squared_difference) {
    return static_cast<double>(sums.fixed_squared - 2 * sums.product + sums.moving_squared) / n;
  }
  const double fixed = static_cast<double>(sums.fixed_squared) - a * a / n;
  const double moving = static_cast<double>(sums.moving_squared) - b * b / n;
  if (!(fixed > 0 && moving > 0)) return std::nullopt;
  return -(static_cast<double>(sums.product) - a * b / n) / std::sqrt(fixed * moving);
}

class ShiftSearch {
 public:
  ShiftSearch(const Context& ctx, const ShiftOptions& options) : ctx_(ctx), options_(options) {}

  // The best of the shifts up to `radius` around one.
  WholeShift best(const Image& fixed, const Image& moving, WholeShift around, Index radius) const {
    const ImageFormat& format = fixed.format();
    kernels::ShiftSumsJob job;
    job.slices = format.slices();
    job.channels = count_of(format.channels);
    job.height = format.height;
    job.width = format.width;
    const double margin = (1 - options_.central) / 2;
    job.top = static_cast<Index>(static_cast<double>(format.height) * margin);
    job.left = static_cast<Index>(static_cast<double>(format.width) * margin);
    job.bottom = format.height - job.top;
    job.right = format.width - job.left;
    job.dy = around.dy;
    job.dx = around.dx;
    job.radius = radius;
    // The number of blocks that fill a device, if there are few shifts.
    constexpr Index blocks = 1024;
    job.parts =
        std::clamp<Index>(blocks / ((2 * radius + 1) * (2 * radius + 1)), 1, job.slices * (job.bottom - job.top));
    return with_pixel_type(format.type, [&](auto number) {
      using T = decltype(number);
      return best_of<T>(job, sums_of<T>(job, fixed, moving), around);
    });
  }

 private:
  template <class T>
  using Sums = kernels::ShiftSums<T>;

  template <class T>
  std::vector<Sums<T>> sums_of(const kernels::ShiftSumsJob& job, const Image& fixed, const Image& moving) const {
    const Index shifts = (2 * job.radius + 1) * (2 * job.radius + 1);
    Array<Sums<T>> parts(ctx_, {job.parts, shifts});
    kernels::shift_sums<T>(ctx_, job, fixed.pixels<T>().data(), moving.pixels<T>().data(), parts.data());
    const Array<Sums<T>> host = to_host(ctx_, parts.ref());
    std::vector<Sums<T>> sums(static_cast<std::size_t>(shifts));
    for (Index i = 0; i < host.size(); ++i) {
      Sums<T>& sum = sums[static_cast<std::size_t>(i % shifts)];
      const Sums<T>& part = host.data()[i];
      sum.fixed += part.fixed;
      sum.moving += part.moving;
      sum.fixed_squared += part.fixed_squared;
      sum.moving_squared += part.moving_squared;
      sum.product += part.product;
    }
    return sums;
  }

  template <class T>
  WholeShift best_of(const kernels::ShiftSumsJob& job, const std::vector<Sums<T>>& sums, WholeShift around) const {
    constexpr Index least_share = 4;
    const Index region = (job.bottom - job.top) * (job.right - job.left);
    WholeShift best = around;
    std::optional<double> least;
    for (std::size_t s = 0; s < sums.size(); ++s) {
      const kernels::ShiftOverlap overlap = kernels::shift_overlap(job, static_cast<Index>(s));
      const Index pixels = (overlap.bottom - overlap.top) * (overlap.right - overlap.left);
      if (pixels < 1 || least_share * pixels < region) continue;
      const std::optional<double> cost = cost_of<T>(sums[s], pixels * job.slices * job.channels, options_.score);
      if (!cost) continue;
      const auto length = [](Index dy, Index dx) { return dy * dy + dx * dx; };
      const bool shorter = length(overlap.dy, overlap.dx) < length(best.dy, best.dx);
      if (least && !(*cost < *least || (*cost == *least && shorter))) continue;
      least = cost;
      const double sign = options_.score == ShiftScore::correlation ? -1 : 1;
      best = {overlap.dy, overlap.dx, sign * *cost};
    }
    return best;
  }

  const Context& ctx_;
  const ShiftOptions& options_;
};

Image halved(const Context& ctx, const Image& image) {
  CropOptions even;
  even.height = image.format().height / 2 * 2;
  even.width = image.format().width / 2 * 2;
  ResizeOptions half;
  half.scale = 0.5;
  half.method = ResizeMethod::area;
  return make_resize(half)->apply(ctx, make_crop(even)->apply(ctx, image));
}

Image enlarged(const Context& ctx, const Image& image, Index times) {
  ResizeOptions options;
  options.scale = static_cast<double>(times);
  options.method = ResizeMethod::bicubic;
  options.align = ResizeAlign::centers;
  return make_resize(options)->apply(ctx, image);
}

WholeShift search(const Context& ctx, const Image& fixed, const Image& moving, const ShiftOptions& options) {
  ctx.check_cancel("find_shift");
  const ShiftSearch search_here(ctx, options);
  const ImageFormat& format = fixed.format();
  if (std::min(format.height, format.width) / 2 < options.coarsest) {
    return search_here.best(fixed, moving, {}, options.range);
  }
  WholeShift coarse = search(ctx, halved(ctx, fixed), halved(ctx, moving), options);
  coarse.dy *= 2;
  coarse.dx *= 2;
  return search_here.best(fixed, moving, coarse, refinement);
}

}  // namespace

void filters::check_shift_options(const char* name, const ShiftOptions& options) {
  const auto check = [&](const char* what, double value, double low, double high) {
    if (value >= low && value <= high) return;
    throw ValueError(fmt::format("{}: {} = {}, expected {} to {}", name, what, value, low, high));
  };
  check("range", static_cast<double>(options.range), 0, filters::most_shift_range);
  check("subpixel", static_cast<double>(options.subpixel), 1, filters::most_shift_parts);
  check("central", options.central, 0.01, 1);
  check("coarsest", static_cast<double>(options.coarsest), 1, std::ldexp(1.0, 30));
}

Shift find_shift(const Context& ctx, const Image& fixed, const Image& moving, const ShiftOptions& options) {
  filters::check_shift_options("find_shift", options);
  if (fixed.format() != moving.format()) {
    throw ShapeError(fmt::format("find_shift: the moving image is {}, expected {} as the fixed one",
                                 to_string(moving.format()), to_string(fixed.format())));
  }
  for (const Image* image : {&fixed, &moving}) {
    if (image->device() == ctx.device()) continue;
    throw DeviceError(fmt::format("find_shift: an image lies on {}, expected {}; bring it there by clone(ctx, image)",
                                  to_string(image->device()), to_string(ctx.device())));
  }
  WholeShift found = search(ctx, fixed, moving, options);
  const Index times = options.subpixel;
  if (times > 1) {
    const Image large_fixed = enlarged(ctx, fixed, times);
    const Image large_moving = enlarged(ctx, moving, times);
    found.dy *= times;
    found.dx *= times;
    found = ShiftSearch(ctx, options).best(large_fixed, large_moving, found, times);
  }
  const auto parts = static_cast<double>(times);
  return {static_cast<double>(found.dy) / parts, static_cast<double>(found.dx) / parts, found.score};
}

Image filters::shifted(const Context& ctx, const Image& image, const Shift& shift) {
  Image result(ctx, image.format());
  BorderOptions zeros;
  zeros.border = Border::constant;
  const RowRange rows{0, image.format().height};
  filters::warp(ctx, filters::shifted_lines(shift.dy, shift.dx), true, zeros, image.format(), image, rows, rows,
                result);
  return result;
}

}  // namespace whorl
