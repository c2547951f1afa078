#include "whorl/filter/geometry/resize.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>
#include <mutex>

#include "filter/src/filters/geometry/resize_taps.hpp"
#include "filter/src/kernels/geometry/resize.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/describe.hpp"

namespace whorl {

namespace {

// For integers: a weight of one is 2 to this power. One bit is for the sign of weights.
template <class T>
int weight_bits(ResizeMethod method) {
  if constexpr (sizeof(T) == 1) return method == ResizeMethod::bilinear ? kernels::two_tap_bits : 14;
  return 22;
}

// The taps of an axis as a kernel reads them.
template <class T>
class DeviceTaps {
 public:
  using Weight = typename kernels::ResizeNumbers<T>::Weight;

  DeviceTaps(const Context& ctx, const filters::AxisTaps& taps, int bits) : count_(taps.count) {
    first_ = upload<std::int32_t>(ctx, taps.first);
    if constexpr (std::is_floating_point_v<T>) {
      weights_ = upload<Weight>(ctx, taps.weights);
    } else {
      weights_ = upload<Weight>(ctx, filters::quantized(taps, bits));
    }
  }

  kernels::Taps<Weight> get() const { return {first_.data(), weights_.data(), count_}; }

 private:
  template <class To, class From>
  static Array<To> upload(const Context& ctx, const std::vector<From>& values) {
    Array<To> host(ctx.host(), {static_cast<Index>(values.size())});
    for (std::size_t i = 0; i < values.size(); ++i) host.data()[i] = static_cast<To>(values[i]);
    return clone(ctx, host.ref());
  }

  Array<std::int32_t> first_;
  Array<Weight> weights_;
  Index count_;
};

template <class T>
struct BandTaps {
  DeviceTaps<T> rows;
  DeviceTaps<T> columns;
};

class Resize : public filters::FusingFilter {
 public:
  explicit Resize(const ResizeOptions& options) : FusingFilter("resize"), options_(options) {
    if (options.scale.has_value() == (options.width.has_value() || options.height.has_value())) {
      throw ValueError("resize: expected either a scale, or a width, a height or both");
    }
  }

 private:
  ImageFormat do_output(const ImageFormat& input) const override {
    const auto height = static_cast<double>(input.height);
    const auto width = static_cast<double>(input.width);
    const double scale = options_.scale    ? *options_.scale
                         : options_.height ? static_cast<double>(*options_.height) / height
                                           : static_cast<double>(options_.width.value_or(input.width)) / width;
    ImageFormat output = input;
    output.height = options_.height ? *options_.height : extent(height, scale);
    output.width = options_.width ? *options_.width : extent(width, scale);
    check(output);
    return output;
  }

  Index extent(double old_extent, double scale) const {
    // A width that keeps the aspect is rounded; a scale truncates, as the exercise's program does.
    const double extent = options_.scale ? std::floor(old_extent * scale) : std::round(old_extent * scale);
    return static_cast<Index>(std::min(std::max(extent, 1.0), std::ldexp(1.0, std::numeric_limits<double>::digits)));
  }

  static void check(const ImageFormat& output) {
    constexpr Index most = std::numeric_limits<std::int32_t>::max();
    if (output.height <= most && output.width <= most) return;
    throw ValueError(
        fmt::format("resize: to {} x {} pixels, expected at most {} of each", output.width, output.height, most));
  }

  RowRange do_rows_needed(const ImageFormat& input, RowRange result) const override {
    const filters::AxisTaps taps = filters::axis_taps(options_, input.height, do_output(input).height);
    const auto first = static_cast<std::size_t>(result.first);
    const auto last = static_cast<std::size_t>(result.last - 1);
    return {taps.first[first], taps.first[last] + taps.count};
  }

  std::optional<kernels::FusingKernel> do_kernel(const ImageFormat& input) const override {
    return kernels::FusingKernel{.family = kernels::KernelFamily::resize, .image = input};
  }

  void do_apply_with(const Context& ctx, const ImageFormat& input, const kernels::PointEnds& ends, const Image& from,
                     Image& to) const override {
    run(ctx, input, {0, input.height}, {0, to.format().height}, ends, from, to);
  }

  void do_apply_to_band(const Context& ctx, const ImageFormat& whole, const Image& band, RowRange given,
                        RowRange wanted, Image& result) const override {
    run(ctx, whole, given, wanted, {}, band, result);
  }

  void run(const Context& ctx, const ImageFormat& whole, RowRange given, RowRange wanted,
           const kernels::PointEnds& ends, const Image& from, Image& to) const {
    with_pixel_type(whole.type, [&](auto number) {
      using T = decltype(number);
      const kernels::ResizeJob job = job_for<T>(whole, given, wanted);
      const std::shared_ptr<const BandTaps<T>> taps = taps_for<T>(ctx, {whole, given, wanted, ctx.device()});
      kernels::resize<T>(ctx, job, taps->rows.get(), taps->columns.get(), ends, raw_pixels(from), raw_pixels(to));
    });
  }

  template <class T>
  kernels::ResizeJob job_for(const ImageFormat& whole, RowRange given, RowRange wanted) const {
    const ImageFormat output = do_output(whole);
    kernels::ResizeJob job;
    job.slices = whole.slices();
    job.old_height = given.count();
    job.old_width = whole.width;
    job.height = wanted.count();
    job.width = output.width;
    job.channels = count_of(whole.channels);
    job.columns_first = output.height < whole.height;
    job.weight_bits = weight_bits<T>(options_.method);
    return job;
  }

  /// The parameters of the taps of a band.
  struct Band {
    ImageFormat whole;
    RowRange given;
    RowRange wanted;
    Device device;
    friend bool operator==(const Band&, const Band&) = default;
  };

  // The taps of the last band are kept, because images of a series need the same taps, and an upload waits for the
  // device.
  template <class T>
  std::shared_ptr<const BandTaps<T>> taps_for(const Context& ctx, const Band& band) const {
    const std::scoped_lock lock(mutex_);
    if (!(kept_ && *kept_ == band)) {
      const ImageFormat output = do_output(band.whole);
      const filters::AxisTaps rows = filters::axis_taps(options_, band.whole.height, output.height);
      const filters::AxisTaps columns = filters::axis_taps(options_, band.whole.width, output.width);
      const int bits = weight_bits<T>(options_.method);
      taps_ = std::make_shared<BandTaps<T>>(
          BandTaps<T>{{ctx, taps_of_band(rows, band.given, band.wanted), bits}, {ctx, columns, bits}});
      kept_ = band;
    }
    return std::static_pointer_cast<const BandTaps<T>>(taps_);
  }

  static filters::AxisTaps taps_of_band(const filters::AxisTaps& whole, RowRange given, RowRange wanted) {
    filters::AxisTaps band;
    band.count = whole.count;
    band.first.assign(whole.first.begin() + wanted.first, whole.first.begin() + wanted.last);
    for (std::int32_t& first : band.first) first -= static_cast<std::int32_t>(given.first);
    band.weights.assign(whole.weights.begin() + wanted.first * whole.count,
                        whole.weights.begin() + wanted.last * whole.count);
    return band;
  }

  ResizeOptions options_;
  mutable std::mutex mutex_;
  mutable std::optional<Band> kept_;
  mutable std::shared_ptr<const void> taps_;  ///< BandTaps of the band's type
};

const auto& resize_filter() {
  static const auto filter =
      DescribeFilter<ResizeOptions>("resize",
                                    [](const ResizeOptions& options) { return std::make_unique<Resize>(options); })
          .summary("Change the number of rows and columns")
          .text(
              "New pixels are weighted means of the old ones near them. align=corners keeps the first and the last "
              "pixel in place; align=centers keeps the area that the image covers, as OpenCV and Pillow do. bicubic "
              "is Keys' kernel with a = -0.5 (OpenCV: sharpness=-0.75 antialias=no align=centers); lanczos has "
              "three zeros on each side; area is the mean over the area of a new pixel. Pixels beyond the edge are "
              "those at the edge.")
          .real("scale", &ResizeOptions::scale, {1e-6, 1e6}, "", "of width and height; the new size is rounded down",
                "from width and height")
          .integer("width", &ResizeOptions::width, {1, std::numeric_limits<std::int32_t>::max()}, "pixels",
                   "of the result", "keeps the aspect")
          .integer("height", &ResizeOptions::height, {1, std::numeric_limits<std::int32_t>::max()}, "pixels",
                   "of the result", "keeps the aspect")
          .choice<ResizeMethod>("method", &ResizeOptions::method,
                                {{"bilinear", ResizeMethod::bilinear},
                                 {"bicubic", ResizeMethod::bicubic},
                                 {"lanczos", ResizeMethod::lanczos},
                                 {"area", ResizeMethod::area},
                                 {"nearest", ResizeMethod::nearest}},
                                "how pixels are weighted", false)
          .choice<ResizeAlign>("align", &ResizeOptions::align,
                               {{"corners", ResizeAlign::corners}, {"centers", ResizeAlign::centers}},
                               "what stays in place", false)
          .when("a method that is not area",
                [](const ResizeOptions& options) { return options.method != ResizeMethod::area; })
          .flag("antialias", &ResizeOptions::antialias, "kernels reach further where the image shrinks")
          .when("method=bicubic or lanczos",
                [](const ResizeOptions& options) {
                  return options.method == ResizeMethod::bicubic || options.method == ResizeMethod::lanczos;
                })
          .real("sharpness", &ResizeOptions::sharpness, {-3, 0}, "", "Keys' a")
          .when("method=bicubic", [](const ResizeOptions& options) { return options.method == ResizeMethod::bicubic; });
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_resize(const ResizeOptions& options) { return resize_filter().make(options); }

FilterDescriptor filters::resize_descriptor() { return resize_filter().build(); }

}  // namespace whorl
