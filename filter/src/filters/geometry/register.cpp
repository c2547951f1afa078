#include <fmt/format.h>

#include <limits>
#include <utility>

#include "filter/src/filters/geometry/find_shift.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

class Register : public Filter {
 public:
  explicit Register(const RegisterOptions& options) : Filter("register"), options_(options) {}

 private:
  ImageFormat do_output(const ImageFormat& input) const override {
    if (options_.reference >= 0 && options_.reference < input.volumes) return input;
    throw ShapeError(fmt::format("register: reference = {}, expected one of the {} volumes from 0 on",
                                 options_.reference, input.volumes));
  }

  void do_apply(const Context& ctx, const Image& input, Image& result) const override {
    const Image reference = volume_of(ctx, input, options_.reference);
    for (Index v = 0; v < input.format().volumes; ++v) {
      Image volume = volume_of(ctx, input, v);
      if (v != options_.reference) {
        volume = filters::shifted(ctx, volume, find_shift(ctx, reference, volume, options_));
      }
      with_pixel_type(input.format().type, [&](auto number) {
        using T = decltype(number);
        copy<T>(ctx, std::as_const(volume).pixels<T>().slice(0), result.pixels<T>().slice(v));
      });
    }
  }

  static Image volume_of(const Context& ctx, const Image& series, Index v) {
    ImageFormat format = series.format();
    format.volumes = 1;
    Image volume(ctx, format);
    with_pixel_type(format.type, [&](auto number) {
      using T = decltype(number);
      copy<T>(ctx, series.pixels<T>().slice(v), volume.pixels<T>().slice(0));
    });
    return volume;
  }

  RegisterOptions options_;
};

const auto& register_filter() {
  static const auto filter = filters::with_shift_options(
      DescribeFilter<RegisterOptions>(
          "register", [](const RegisterOptions& options) { return std::make_unique<Register>(options); })
          .summary("Shift the volumes of a series onto one of them")
          .text("Along rows and columns, with one shift for all slices of a volume. Pixels that a "
                "volume lacks are 0.")
          .integer("reference", &RegisterOptions::reference, {0, std::numeric_limits<Index>::max()}, "",
                   "the volume that stays, counted from 0"));
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_register(const RegisterOptions& options) { return register_filter().make(options); }

FilterDescriptor filters::register_descriptor() { return register_filter().build(); }

}  // namespace whorl
