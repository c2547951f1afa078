#include "filter/src/filters/windows/stencil.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "filter/src/filters/windows/fixed_point.hpp"
#include "filter/src/filters/windows/large_kernel.hpp"
#include "filter/src/filters/windows/separable.hpp"
#include "filter/src/kernels/points/alpha.hpp"
#include "filter/src/kernels/windows/stencil.hpp"
#include "filter/src/pipeline/hooks.hpp"
#include "filter/src/pipeline/rows.hpp"
#include "whorl/core/error.hpp"

namespace whorl::filters {

namespace {

kernels::Stencil for_integers(const StencilOptions& options, PixelType type) {
  FixedPoint weights = fixed_point(options.kernel, options.divisor, options.offset, full_scale(type),
                                   options.negatives != Negatives::keep);
  kernels::Stencil stencil;
  if (auto found = factors(weights.weights, options.kernel.width)) {
    stencil.integer_column = std::move(found->column);
    stencil.integer_row = std::move(found->row);
  }
  stencil.integers = std::move(weights.weights);
  stencil.short_sums = weights.short_sums;
  stencil.single_finish = weights.single_finish;
  stencil.scale = weights.scale;
  stencil.offset = weights.offset;
  return stencil;
}

kernels::Stencil for_floats(const StencilOptions& options) {
  kernels::Stencil stencil;
  // The divisor's sign moves to the weights, because magnitudes are taken before the scale.
  std::vector<double> values = options.kernel.values;
  for (double& value : values) value = std::copysign(1.0, options.divisor) * value;
  if (auto found = factors(std::span<const double>(values), options.kernel.width)) {
    stencil.real_column = std::move(found->column);
    stencil.real_row = std::move(found->row);
  }
  for (const double value : values) stencil.reals.push_back(static_cast<float>(value));
  stencil.scale = 1 / std::abs(options.divisor);
  stencil.offset = options.offset;
  return stencil;
}

kernels::Stencil make_for(const StencilOptions& options, const BorderOptions& border, PixelType type) {
  kernels::Stencil stencil = type == PixelType::float32 ? for_floats(options) : for_integers(options, type);
  stencil.width = options.kernel.width;
  stencil.height = options.kernel.height;
  stencil.absolute = options.negatives == Negatives::absolute;
  stencil.border = border.border;
  stencil.border_value = border.border_value;
  if (type != PixelType::float32) {
    stencil.border_value = std::clamp(std::round(stencil.border_value), 0.0, full_scale(type));
  }
  return stencil;
}

class StencilFilter : public FusingFilter {
 public:
  StencilFilter(std::string name, const StencilOptions& options, const BorderOptions& border)
      : FusingFilter(std::move(name)),
        options_(options),
        border_(border),
        stencils_{make_for(options, border, PixelType::uint8), make_for(options, border, PixelType::uint16),
                  make_for(options, border, PixelType::float32)} {}

 private:
  ImageFormat do_output(const ImageFormat& input) const override {
    ImageFormat format = input;
    if (options_.negatives == Negatives::keep) format.type = PixelType::float32;
    return format;
  }

  bool keeps_alpha(const ImageFormat& format) const { return options_.keeps_alpha && has_alpha(format.channels); }

  // A transform is a pass of its own, and so is copying alpha.
  std::optional<kernels::FusingKernel> do_kernel(const ImageFormat& input) const override {
    if (is_transformed(stencil_for(input.type), input.type) || keeps_alpha(input)) return std::nullopt;
    return kernels::FusingKernel{kernels::KernelFamily::stencil, input,
                                 std::max(options_.kernel.width, options_.kernel.height), border_.border};
  }

  void do_apply_with(const Context& ctx, const ImageFormat& input, const kernels::PointEnds& ends, const Image& from,
                     Image& to) const override {
    const kernels::Stencil& stencil = stencil_for(input.type);
    if (is_transformed(stencil, input.type)) {
      correlate_by_transform(ctx, input, stencil, from.pixels<float>().data(), to.pixels<float>().data());
      return;
    }
    with_pixel_type(input.type, [&](auto number) {
      using T = decltype(number);
      if (options_.negatives == Negatives::keep) {
        correlate<T, float>(ctx, input, stencil, ends, from, to);
      } else {
        correlate<T, T>(ctx, input, stencil, ends, from, to);
      }
    });
  }

  template <class T, class Out>
  void correlate(const Context& ctx, const ImageFormat& format, const kernels::Stencil& stencil,
                 const kernels::PointEnds& ends, const Image& from, Image& to) const {
    kernels::stencil<T, Out>(ctx, format, stencil, ends, raw_pixels(from), raw_pixels(to));
    if (!keeps_alpha(format)) return;
    const int channels = count_of(format.channels);
    kernels::copy_alpha<T, Out>(ctx, format.shape().size() / channels, channels, from.pixels<T>().data(),
                                to.pixels<Out>().data());
  }

  // The weights of large kernels come from the host.
  bool do_is_repeatable(const ImageFormat& /*input*/) const override {
    constexpr Index most_taps = 25;
    return options_.kernel.width * options_.kernel.height <= most_taps;
  }

  RowRange do_rows_needed(const ImageFormat& input, RowRange result) const override {
    return rows::within_reach(input, result, options_.kernel.height / 2, border_.border);
  }

  const kernels::Stencil& stencil_for(PixelType type) const { return stencils_[static_cast<std::size_t>(type)]; }

  StencilOptions options_;
  BorderOptions border_;
  std::array<kernels::Stencil, 3> stencils_;  // by PixelType
};

}  // namespace

std::unique_ptr<Filter> make_stencil(std::string name, const StencilOptions& options, const BorderOptions& border) {
  try {
    check_kernel(options.kernel);
  } catch (const ValueError& error) {
    throw ValueError(fmt::format("{}: {}", name, error.what()));
  }
  return std::make_unique<StencilFilter>(std::move(name), options, border);
}

std::vector<std::pair<std::string, Negatives>> negatives_words() {
  return {{"clip", Negatives::clip}, {"absolute", Negatives::absolute}, {"signed", Negatives::keep}};
}

}  // namespace whorl::filters
