#include "whorl/filter/denoise/gibbs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "filter/src/kernels/denoise/gibbs.hpp"
#include "filter/src/kernels/points/wide_complex.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/describe.hpp"
#include "whorl/math/fft.hpp"

namespace whorl {

namespace {

using Complex = std::complex<double>;

constexpr Index most_shifts = 200;
constexpr Index farthest = 64;
// The numbers in lines that are shifted together: on a CPU they stay in its cache, on a GPU they keep it busy.
constexpr Index host_block = Index{1} << 15;
constexpr Index device_block = Index{1} << 24;

// The angle of frequency `k` of `n`, from -pi to pi.
double angle(Index k, Index n) {
  const Index centered = 2 * k > n ? k - n : k;
  return 2 * std::numbers::pi * static_cast<double>(centered) / static_cast<double>(n);
}

Array<double> cosines(const Context& ctx, Index n) {
  Array<double> table(ctx.host(), {n});
  for (Index k = 0; k < n; ++k) table.data()[k] = std::cos(angle(k, n));
  return clone(ctx, table.ref());
}

// The factors of a spectrum that shift its line and scale the inverse transform. The highest frequency of an even
// length cannot be shifted such that real lines stay real.
Array<Complex> shift_factors(const Context& ctx, Index n, double shift) {
  Array<Complex> table(ctx.host(), {n});
  for (Index k = 0; k < n; ++k) {
    const bool undecided = 2 * k == n && shift != 0;
    table.data()[k] = undecided ? 0 : std::polar(1 / static_cast<double>(n), angle(k, n) * shift);
  }
  return clone(ctx, table.ref());
}

class Gibbs : public Filter {
 public:
  explicit Gibbs(const GibbsOptions& options) : Filter("gibbs"), options_(options) {
    if (options.far < options.near) {
      throw ValueError(fmt::format("gibbs: far is {}, expected at least near, {}", options.far, options.near));
    }
  }

 private:
  ImageFormat do_output(const ImageFormat& input) const override {
    if (input.channels != Channels::gray && input.channels != Channels::complex) {
      throw Unsupported(
          fmt::format("gibbs: takes gray or complex images, got {}; apply 'gray' first", to_string(input.channels)));
    }
    return input;
  }

  void do_apply(const Context& ctx, const Image& input, Image& result) const override {
    const ImageFormat& format = input.format();
    const Index slices = format.slices();
    const Index h = format.height;
    const Index w = format.width;
    const bool complex = format.channels == Channels::complex;
    Array<Complex> y_part(ctx, {slices, h, w});
    Array<Complex> x_part(ctx, {slices, h, w});
    with_pixel_type(format.type, [&](auto number) {
      using T = decltype(number);
      kernels::widen<T>(ctx, y_part.size(), complex, input.pixels<T>().data(), y_part.data());
    });
    const auto plan = make_fft_plan<double>(ctx, {h, w});
    plan->execute(ctx, FftDirection::forward, y_part.data(), slices);
    const Array<double> cos_x = cosines(ctx, w);
    const Array<double> cos_y = cosines(ctx, h);
    kernels::gibbs_split(ctx, {slices, h, w, 1 / static_cast<double>(h * w)}, cos_x.data(), cos_y.data(), y_part.data(),
                         x_part.data());
    plan->execute(ctx, FftDirection::inverse, x_part.data(), slices);
    plan->execute(ctx, FftDirection::inverse, y_part.data(), slices);
    if (w > 1) correct_lines(ctx, slices * h, w, x_part);
    if (h > 1) {
      Array<Complex> turned(ctx, {slices, w, h});
      kernels::transpose_planes(ctx, slices, h, w, y_part.data(), turned.data());
      correct_lines(ctx, slices * w, h, turned);
      kernels::transpose_planes(ctx, slices, w, h, turned.data(), y_part.data());
    }
    with_pixel_type(format.type, [&](auto number) {
      using T = decltype(number);
      kernels::narrow<T>(ctx, y_part.size(), complex, x_part.data(), y_part.data(), result.pixels<T>().data());
    });
  }

  void correct_lines(const Context& ctx, Index lines, Index length, Array<Complex>& image) const {
    const auto plan = make_fft_plan<double>(ctx, {length});
    const Index block_numbers = ctx.device().kind == DeviceKind::cpu ? host_block : device_block;
    const Index together = std::clamp<Index>(block_numbers / length, 1, lines);
    Array<Complex> spectrum(ctx, {together, length});
    Array<Complex> shifted(ctx, {together, length});
    Array<double> least(ctx, {together, length});
    std::vector<Array<Complex>> factors;
    for (Index m = -options_.shifts; m <= options_.shifts; ++m) {
      factors.push_back(shift_factors(ctx, length, shift_of(m)));
    }
    for (Index first = 0; first < lines; first += together) {
      const Index count = std::min(together, lines - first);
      const Shape shape{count, length};
      Complex* here = image.data() + first * length;
      copy<Complex>(ctx, ArrayRef<const Complex>(here, shape, image.device()),
                    ArrayRef<Complex>(spectrum.data(), shape, spectrum.device()));
      plan->execute(ctx, FftDirection::forward, spectrum.data(), count);
      const auto try_shift = [&](Index m) {
        kernels::gibbs_shift(ctx, count, length, factors[static_cast<std::size_t>(m + options_.shifts)].data(),
                             spectrum.data(), shifted.data());
        plan->execute(ctx, FftDirection::inverse, shifted.data(), count);
        kernels::gibbs_choose(ctx, {count, length, options_.near, options_.far, shift_of(m), m == 0}, shifted.data(),
                              least.data(), here);
      };
      // The shift 0 comes first, so it is kept where no other shift is better.
      try_shift(0);
      for (Index m = 1; m <= options_.shifts; ++m) {
        try_shift(m);
        try_shift(-m);
      }
    }
  }

  double shift_of(Index m) const { return static_cast<double>(m) / static_cast<double>(2 * options_.shifts); }

  GibbsOptions options_;
};

const auto& gibbs_filter() {
  static const auto filter =
      DescribeFilter<GibbsOptions>("gibbs",
                                   [](const GibbsOptions& options) { return std::make_unique<Gibbs>(options); })
          .summary("Remove Gibbs ringing")
          .text(
              "The image is shifted by fractions of a pixel; each pixel takes the shift with the least variation "
              "beside it. For images that are reconstructed from all of k-space and not interpolated. Kellner et "
              "al., MRM 76:1574 (2016).")
          .integer("shifts", &GibbsOptions::shifts, {1, most_shifts}, "", "number to each side, up to half a pixel")
          .integer("near", &GibbsOptions::near, {1, farthest}, "pixels", "least distance at which variation counts")
          .integer("far", &GibbsOptions::far, {1, farthest}, "pixels", "largest distance at which variation counts");
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_gibbs(const GibbsOptions& options) { return gibbs_filter().make(options); }

FilterDescriptor filters::gibbs_descriptor() { return gibbs_filter().build(); }

}  // namespace whorl
