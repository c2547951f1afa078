#include "filter/src/filters/geometry/find_shift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <vector>

#include "filter/src/filters/geometry/warp.hpp"
#include "filter/src/kernels/geometry/shift_sums.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/geometry/crop.hpp"
#include "whorl/filter/geometry/resize.hpp"

namespace whorl {

namespace {

// The radius on each finer image: one pixel because halving may drop a pixel of an odd extent, and one more.
constexpr Index refinement = 2;

// Shifts up to a range are looked for on halved images first, as long as the range there stays at least `least_range`
// and their smaller side `least_side`: fewer pixels than that match in too many places.
constexpr Index least_range = 4;
constexpr Index least_side = 96;
// Valleys of the cost that are followed to the finer image, where they may change places.
constexpr std::size_t most_valleys = 4;

struct WholeShift {
  Index dy = 0;
  Index dx = 0;
};

Index length_of(const WholeShift& shift) { return shift.dy * shift.dy + shift.dx * shift.dx; }

/// A shift that was tried; the smaller its cost the better.
struct Tried {
  WholeShift shift;
  double cost = 0;
};

// The shorter shift wins where costs are equal.
bool is_better(const Tried& a, const Tried& b) {
  return a.cost < b.cost || (a.cost == b.cost && length_of(a.shift) < length_of(b.shift));
}

std::optional<Tried> best_of(const std::vector<Tried>& tried) {
  if (tried.empty()) return std::nullopt;
  return *std::min_element(tried.begin(), tried.end(), is_better);
}

bool lies_near(const WholeShift& a, const WholeShift& b, Index distance) {
  return std::abs(a.dy - b.dy) <= distance && std::abs(a.dx - b.dx) <= distance;
}

// The best of all, then the best that are not near one of those: each within the radius of a search is that search's.
std::vector<Tried> valleys_of(std::vector<Tried> tried) {
  std::stable_sort(tried.begin(), tried.end(), is_better);
  std::vector<Tried> valleys;
  for (const Tried& next : tried) {
    const bool known = std::any_of(valleys.begin(), valleys.end(), [&](const Tried& valley) {
      return lies_near(valley.shift, next.shift, refinement);
    });
    if (known) continue;
    valleys.push_back(next);
    if (valleys.size() == most_valleys) break;
  }
  return valleys;
}

// Smaller is better. None where all values are equal: there is nothing to correlate.
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

  // The shifts up to `radius` around one that leave enough to compare.
  std::vector<Tried> tried(const Image& fixed, const Image& moving, const WholeShift& around, Index radius) const {
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
      return costs_of<T>(job, sums_of<T>(job, fixed, moving));
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
  std::vector<Tried> costs_of(const kernels::ShiftSumsJob& job, const std::vector<Sums<T>>& sums) const {
    constexpr Index least_share = 4;
    const Index region = (job.bottom - job.top) * (job.right - job.left);
    std::vector<Tried> tried;
    for (std::size_t s = 0; s < sums.size(); ++s) {
      const kernels::ShiftOverlap overlap = kernels::shift_overlap(job, static_cast<Index>(s));
      const Index pixels = (overlap.bottom - overlap.top) * (overlap.right - overlap.left);
      if (pixels < 1 || least_share * pixels < region) continue;
      const std::optional<double> cost = cost_of<T>(sums[s], pixels * job.slices * job.channels, options_.score);
      if (cost) tried.push_back({{overlap.dy, overlap.dx}, *cost});
    }
    return tried;
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

// The best shift in parts of a pixel, `times` of them, from the best one in whole pixels: by way of half as many parts, as
// images of n^2 times the pixels are too large to try all shifts within a pixel.
std::optional<Tried> refined(const Context& ctx, const Image& fixed, const Image& moving, const ShiftOptions& options,
                             WholeShift around, Index times) {
  ctx.check_cancel("find_shift");
  const Index fewer = (times + 1) / 2;
  if (fewer > 1) {
    const std::optional<Tried> coarse = refined(ctx, fixed, moving, options, around, fewer);
    if (!coarse) return std::nullopt;
    around = coarse->shift;
  }
  const auto in_parts = [&](Index shift) {
    return static_cast<Index>(std::lround(static_cast<double>(shift * times) / static_cast<double>(fewer)));
  };
  return best_of(ShiftSearch(ctx, options)
                     .tried(enlarged(ctx, fixed, times), enlarged(ctx, moving, times),
                            {in_parts(around.dy), in_parts(around.dx)}, refinement));
}

Index smaller_side(const Image& image) { return std::min(image.format().height, image.format().width); }

class PyramidSearch {
 public:
  PyramidSearch(const Context& ctx, const ShiftOptions& options)
      : ctx_(ctx), coarsest_(options.coarsest), range_(options.range), search_(ctx, options) {}

  /// The best shift; none where no shift has a cost. The range is that of the coarsest image.
  std::optional<Tried> best(const Image& fixed, const Image& moving) const {
    ctx_.check_cancel("find_shift");
    if (smaller_side(fixed) / 2 < coarsest_) return best_of(in_range(fixed, moving, range_));
    const std::optional<Tried> coarse = best(halved(ctx_, fixed), halved(ctx_, moving));
    const WholeShift around = coarse ? twice(coarse->shift) : WholeShift{};
    return best_of(search_.tried(fixed, moving, around, refinement));
  }

 private:
  static WholeShift twice(const WholeShift& shift) { return {2 * shift.dy, 2 * shift.dx}; }

  /// The valleys of the cost over the shifts up to a range, from coarse to fine.
  std::vector<Tried> in_range(const Image& fixed, const Image& moving, Index range) const {
    ctx_.check_cancel("find_shift");
    const Index coarse_range = (range + 1) / 2;
    if (coarse_range < least_range || smaller_side(fixed) / 2 < least_side) {
      return valleys_of(search_.tried(fixed, moving, {}, range));
    }
    std::vector<Tried> all;
    for (const Tried& coarse : in_range(halved(ctx_, fixed), halved(ctx_, moving), coarse_range)) {
      for (const Tried& fine : search_.tried(fixed, moving, twice(coarse.shift), refinement)) {
        if (lies_near(fine.shift, {}, range)) all.push_back(fine);
      }
    }
    return valleys_of(std::move(all));
  }

  const Context& ctx_;
  Index coarsest_;
  Index range_;
  ShiftSearch search_;
};

}  // namespace

Shift find_shift(const Context& ctx, const Image& fixed, const Image& moving, const ShiftOptions& options) {
  static const auto table = filters::with_shift_options(OptionTable<ShiftOptions>("find_shift"));
  table.check(options);
  if (fixed.format() != moving.format()) {
    throw ShapeError(fmt::format("find_shift: the moving image is {}, expected {} as the fixed one",
                                 to_string(moving.format()), to_string(fixed.format())));
  }
  for (const Image* image : {&fixed, &moving}) {
    if (image->device() == ctx.device()) continue;
    throw DeviceError(fmt::format("find_shift: an image lies on {}, expected {}; bring it there by clone(ctx, image)",
                                  to_string(image->device()), to_string(ctx.device())));
  }
  std::optional<Tried> found = PyramidSearch(ctx, options).best(fixed, moving);
  const Index times = options.subpixel;
  if (found && times > 1) found = refined(ctx, fixed, moving, options, found->shift, times);
  // Nothing tells: the images stay where they are.
  if (!found) return {};
  const auto parts = static_cast<double>(times);
  const double sign = options.score == ShiftScore::correlation ? -1 : 1;
  return {static_cast<double>(found->shift.dy) / parts, static_cast<double>(found->shift.dx) / parts,
          sign * found->cost};
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
