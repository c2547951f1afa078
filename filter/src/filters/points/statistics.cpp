#include "filter/src/filters/points/statistics.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "filter/src/kernels/points/statistics.hpp"

namespace whorl::filters {

namespace {

PointProgram luma_of(const ImageFormat& input) {
  PointProgram program(input);
  if (program.colors() == 3) program.mix(luma_weights, luma_divisor);
  return program;
}

Index pixels_of(const ImageFormat& format) { return format.slices() * format.height * format.width; }

/// The numbers that a statistic counts, and its sums. Tables and sums lie on the device of the first call.
template <class T>
class Observer {
 public:
  /// `start`: of all sums, or one for each.
  Observer(PointProgram through, Index size, std::vector<T> start)
      : through_(std::move(through)), size_(size), start_(std::move(start)) {}

  kernels::Observed what(const Context& ctx) { return {prepare(ctx).code(), through_.colors()}; }
  T* sums(const Context& ctx) {
    prepare(ctx);
    return sums_.data();
  }
  std::vector<T> read(const Context& ctx) const {
    const Array<T> host = to_host(ctx, sums_.ref());
    return {host.span().begin(), host.span().end()};
  }

 private:
  const BoundPoints& prepare(const Context& ctx) {
    if (!bound_) {
      bound_.emplace(ctx, through_);
      if (start_.size() == 1) {
        sums_ = Array<T>(ctx, {size_});
        fill<T>(ctx, sums_.ref(), start_[0]);
      } else {
        Array<T> start(ctx.host(), {size_});
        std::copy(start_.begin(), start_.end(), start.data());
        sums_ = clone(ctx, start.ref());
      }
    }
    return *bound_;
  }

  PointProgram through_;
  Index size_;
  std::vector<T> start_;
  std::optional<BoundPoints> bound_;
  Array<T> sums_;
};

class HistogramStatistic : public ImageStatistic {
 public:
  HistogramStatistic(const ImageFormat& input, std::function<PointProgram(const Histogram&)> make)
      : make_(std::move(make)),
        levels_(input.type == PixelType::float32 ? kernels::point_bins : levels_of(input.type)),
        ranged_(input.type != PixelType::float32),
        counts_(luma_of(input), levels_, {0}),
        extremes_(luma_of(input), 2, {~std::uint32_t{0}, 0}) {}

  void add(const Context& ctx, const Image& band) override {
    const Index pixels = pixels_of(band.format());
    if (!ranged_) {
      kernels::extremes(ctx, extremes_.what(ctx), pixels, raw_pixels(band), extremes_.sums(ctx));
      return;
    }
    kernels::count_levels(ctx, counts_.what(ctx), static_cast<float>(found_.low), static_cast<float>(1 / found_.width),
                          pixels, raw_pixels(band), counts_.sums(ctx));
  }

  bool wants_another_pass(const Context& ctx) override {
    if (!ranged_) {
      ranged_ = true;
      const std::vector<std::uint32_t> keys = extremes_.read(ctx);
      if (keys[0] <= keys[1]) {
        found_.low = static_cast<double>(kernels::float_of_key(keys[0]));
        const double width =
            (static_cast<double>(kernels::float_of_key(keys[1])) - found_.low) / static_cast<double>(levels_);
        // The least range: below it the image has one level, or float32 does not resolve the range.
        constexpr double least = 1e-37;
        found_.width = std::max(width, least);
      }
      return true;
    }
    found_.counts = counts_.read(ctx);
    found_.total = std::accumulate(found_.counts.begin(), found_.counts.end(), std::uint64_t{0});
    return false;
  }

  PointProgram finish() const override { return make_(found_); }

 private:
  std::function<PointProgram(const Histogram&)> make_;
  Index levels_;
  bool ranged_;
  Observer<std::uint64_t> counts_;
  Observer<std::uint32_t> extremes_;
  Histogram found_;
};

class SumStatistic : public ImageStatistic {
 public:
  using Make = std::function<PointProgram(const std::vector<double>& sums, double pixels)>;

  SumStatistic(const ImageFormat& input, Make make)
      : make_(std::move(make)),
        colors_(PointProgram(input).colors()),
        levels_(input.type == PixelType::float32 ? 0 : levels_of(input.type)),
        counts_(PointProgram(input), levels_ * colors_, {0}),
        sums_(PointProgram(input), colors_, {0}) {}

  void add(const Context& ctx, const Image& band) override {
    const Index pixels = pixels_of(band.format());
    pixels_ += static_cast<double>(pixels);
    if (levels_ == 0) {
      kernels::sum_colors(ctx, sums_.what(ctx), pixels, raw_pixels(band), sums_.sums(ctx));
    } else {
      kernels::count_levels(ctx, counts_.what(ctx), 0, 1, pixels, raw_pixels(band), counts_.sums(ctx));
    }
  }

  bool wants_another_pass(const Context& ctx) override {
    if (levels_ == 0) {
      found_ = sums_.read(ctx);
      return false;
    }
    const std::vector<std::uint64_t> counts = counts_.read(ctx);
    for (Index color = 0; color < colors_; ++color) {
      std::uint64_t sum = 0;
      for (Index level = 0; level < levels_; ++level) {
        sum += static_cast<std::uint64_t>(level) * counts[static_cast<std::size_t>(color * levels_ + level)];
      }
      found_.push_back(static_cast<double>(sum));
    }
    return false;
  }

  PointProgram finish() const override { return make_(found_, pixels_); }

 private:
  Make make_;
  Index colors_;
  Index levels_;
  double pixels_ = 0;
  Observer<std::uint64_t> counts_;
  Observer<double> sums_;
  std::vector<double> found_;
};

}  // namespace

std::unique_ptr<ImageStatistic> histogram_statistic(const ImageFormat& input,
                                                    std::function<PointProgram(const Histogram&)> make) {
  return std::make_unique<HistogramStatistic>(input, std::move(make));
}

std::unique_ptr<ImageStatistic> sum_statistic(
    const ImageFormat& input, std::function<PointProgram(const std::vector<double>& sums, double pixels)> make) {
  return std::make_unique<SumStatistic>(input, std::move(make));
}

}  // namespace whorl::filters
