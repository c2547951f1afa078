#include "whorl/filter/geometry/align.hpp"

#include <fmt/format.h>

#include "filter/filters/geometry/find_shift.hpp"
#include "filter/kernels/points/plates.hpp"
#include "filter/pipeline/filter_list.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

constexpr Index plates_in_picture = 3;
enum PlateOrder : Index { blue, green, red };

ImageFormat plate_format(const ImageFormat& picture) {
  if (picture.channels == Channels::complex) {
    throw Unsupported("align: takes gray or RGB images, got complex; apply 'magnitude' first");
  }
  if (picture.slices() != 1 || picture.height < plates_in_picture) {
    throw ShapeError(
        fmt::format("align: {}, expected one picture of three plates one under the other", to_string(picture)));
  }
  ImageFormat plate = picture;
  plate.channels = Channels::gray;
  plate.height = picture.height / plates_in_picture;
  return plate;
}

Image plate_of(const Context& ctx, const Image& picture, Index plate) {
  Image result(ctx, plate_format(picture.format()));
  const ImageFormat& format = result.format();
  with_pixel_type(format.type, [&](auto number) {
    using T = decltype(number);
    kernels::PlatesJob<T> job;
    job.pixels = format.height * format.width;
    job.channels = count_of(picture.format().channels);
    job.count = 1;
    job.plates[0] = picture.pixels<T>().data() + plate * format.height * picture.format().row();
    kernels::plates<T>(ctx, job, result.pixels<T>().data());
  });
  return result;
}

struct Plates {
  Image red, green, blue;
};

Plates plates_of(const Context& ctx, const Image& picture) {
  return {plate_of(ctx, picture, red), plate_of(ctx, picture, green), plate_of(ctx, picture, blue)};
}

PlateShifts shifts_of(const Context& ctx, const Plates& plates, const AlignOptions& options) {
  return {find_shift(ctx, plates.green, plates.red, options), find_shift(ctx, plates.green, plates.blue, options)};
}

class Align : public Filter {
 public:
  explicit Align(const AlignOptions& options) : Filter("align"), options_(options) {
    filters::check_shift_options("align", options);
  }

 private:
  ImageFormat do_output(const ImageFormat& input) const override {
    ImageFormat output = plate_format(input);
    output.channels = Channels::rgb;
    return output;
  }

  void do_apply(const Context& ctx, const Image& input, Image& result) const override {
    const Plates plates = plates_of(ctx, input);
    const PlateShifts shifts = shifts_of(ctx, plates, options_);
    const Image red = filters::shifted(ctx, plates.red, shifts.red);
    const Image blue = filters::shifted(ctx, plates.blue, shifts.blue);
    const ImageFormat& format = result.format();
    with_pixel_type(format.type, [&](auto number) {
      using T = decltype(number);
      kernels::PlatesJob<T> job;
      job.pixels = format.height * format.width;
      job.plates[0] = red.pixels<T>().data();
      job.plates[1] = plates.green.pixels<T>().data();
      job.plates[2] = blue.pixels<T>().data();
      kernels::plates<T>(ctx, job, result.pixels<T>().data());
    });
  }

  AlignOptions options_;
};

}  // namespace

std::unique_ptr<Filter> make_align(const AlignOptions& options) { return std::make_unique<Align>(options); }

PlateShifts find_plate_shifts(const Context& ctx, const Image& plates, const AlignOptions& options) {
  filters::check_shift_options("align", options);
  return shifts_of(ctx, plates_of(ctx, plates), options);
}

FilterDescriptor filters::align_descriptor() {
  return describe_shift(DescribeFilter<AlignOptions>("align", &make_align)
                            .summary("Make a color picture of three plates one under the other")
                            .text("Blue, green and red from top to bottom, a third of the rows each. Red and blue are "
                                  "shifted onto green; pixels that they lack are 0."))
      .build();
}

}  // namespace whorl
