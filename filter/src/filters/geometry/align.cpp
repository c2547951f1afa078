#include "whorl/filter/geometry/align.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "filter/src/filters/geometry/find_shift.hpp"
#include "filter/src/kernels/points/plates.hpp"
#include "filter/src/pipeline/filter_list.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/geometry/crop.hpp"
#include "whorl/filter/geometry/pad.hpp"

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

/// Frame of each plate; none without trim.
struct Frames {
  PlateFrame red, green, blue;
};

Frames frames_of(const Context& ctx, const Plates& plates, const AlignOptions& options) {
  if (!options.trim) return {};
  return {find_plate_frame(ctx, plates.red), find_plate_frame(ctx, plates.green), find_plate_frame(ctx, plates.blue)};
}

bool is_none(const PlateFrame& frame) {
  return frame.top == 0 && frame.bottom == 0 && frame.left == 0 && frame.right == 0;
}

/// The part of a plate inside the largest frame.
Image without_frame(const Context& ctx, const Image& plate, const PlateFrame& frame) {
  CropOptions inside;
  inside.y = frame.top;
  inside.x = frame.left;
  inside.height = plate.format().height - frame.top - frame.bottom;
  inside.width = plate.format().width - frame.left - frame.right;
  return make_crop(inside)->apply(ctx, plate);
}

PlateShifts shifts_of(const Context& ctx, const Plates& plates, const Frames& frames, const AlignOptions& options) {
  const auto most = [&](Index PlateFrame::*side) {
    return std::max({frames.red.*side, frames.green.*side, frames.blue.*side});
  };
  const PlateFrame all{most(&PlateFrame::top), most(&PlateFrame::bottom), most(&PlateFrame::left),
                       most(&PlateFrame::right)};
  if (is_none(all)) {
    return {find_shift(ctx, plates.green, plates.red, options), find_shift(ctx, plates.green, plates.blue, options)};
  }
  const Image green = without_frame(ctx, plates.green, all);
  return {find_shift(ctx, green, without_frame(ctx, plates.red, all), options),
          find_shift(ctx, green, without_frame(ctx, plates.blue, all), options)};
}

/// Pixels [first, last) along an axis.
struct Span {
  Index first;
  Index last;
};

/// The pixels that show the part of a shifted plate between its frames.
Span visible(Index extent, Index before, Index after, double shift) {
  // Cubic weights reach over two pixels on each side of a place between pixels.
  const Index reach = shift == std::floor(shift) ? 0 : 2;
  const auto first = static_cast<Index>(std::ceil(static_cast<double>(before + reach) - shift));
  const auto last = static_cast<Index>(std::floor(static_cast<double>(extent - after - reach) - shift));
  return {std::clamp<Index>(first, 0, extent), std::clamp<Index>(last, 0, extent)};
}

Span both(Span a, Span b) { return {std::max(a.first, b.first), std::min(a.last, b.last)}; }

/// Sets all pixels outside the rows and columns to 0.
void keep_inside(const Context& ctx, const Image& picture, Span rows, Span columns, Image& result) {
  const ImageFormat& format = picture.format();
  if (rows.first >= rows.last || columns.first >= columns.last) {
    with_pixel_type(format.type, [&](auto number) {
      using T = decltype(number);
      fill<T>(ctx, result.pixels<T>(), T(0));
    });
    return;
  }
  CropOptions inside;
  inside.y = rows.first;
  inside.x = columns.first;
  inside.height = rows.last - rows.first;
  inside.width = columns.last - columns.first;
  PadOptions zeros;
  zeros.border = Border::constant;
  zeros.top = rows.first;
  zeros.bottom = format.height - rows.last;
  zeros.left = columns.first;
  zeros.right = format.width - columns.last;
  make_pad(zeros)->apply(ctx, make_crop(inside)->apply(ctx, picture), result);
}

class Align : public Filter {
 public:
  explicit Align(const AlignOptions& options) : Filter("align"), options_(options) {}

 private:
  ImageFormat do_output(const ImageFormat& input) const override {
    ImageFormat output = plate_format(input);
    output.channels = Channels::rgb;
    return output;
  }

  void do_apply(const Context& ctx, const Image& input, Image& result) const override {
    const Plates plates = plates_of(ctx, input);
    const Frames frames = frames_of(ctx, plates, options_);
    const PlateShifts shifts = shifts_of(ctx, plates, frames, options_);
    if (!options_.trim) return merge(ctx, plates, shifts, result);
    Image merged(ctx, result.format());
    merge(ctx, plates, shifts, merged);
    const Index height = result.format().height;
    const Index width = result.format().width;
    const auto rows = [&](const PlateFrame& frame, double dy) { return visible(height, frame.top, frame.bottom, dy); };
    const auto columns = [&](const PlateFrame& frame, double dx) {
      return visible(width, frame.left, frame.right, dx);
    };
    keep_inside(
        ctx, merged,
        both(rows(frames.green, 0), both(rows(frames.red, shifts.red.dy), rows(frames.blue, shifts.blue.dy))),
        both(columns(frames.green, 0), both(columns(frames.red, shifts.red.dx), columns(frames.blue, shifts.blue.dx))),
        result);
  }

  static void merge(const Context& ctx, const Plates& plates, const PlateShifts& shifts, Image& result) {
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

const auto& align_filter() {
  static const auto filter =
      filters::with_shift_options(
          DescribeFilter<AlignOptions>("align",
                                       [](const AlignOptions& options) { return std::make_unique<Align>(options); })
              .summary("Make a color picture of three plates one under the other")
              .text("Blue, green and red from top to bottom, a third of the rows each. Red and blue are "
                    "shifted onto green; pixels that they lack are 0. With trim the frames around the "
                    "plates, found as long edges near the sides, are not compared, and are 0 in the "
                    "result, whose size stays that of a plate; crop cuts them off."))
          .flag("trim", &AlignOptions::trim, "leave out the frames around the plates");
  return filter;
}

}  // namespace

std::unique_ptr<Filter> make_align(const AlignOptions& options) { return align_filter().make(options); }

PlateShifts find_plate_shifts(const Context& ctx, const Image& plates, const AlignOptions& options) {
  align_filter().check(options);
  const Plates all = plates_of(ctx, plates);
  return shifts_of(ctx, all, frames_of(ctx, all, options), options);
}

FilterDescriptor filters::align_descriptor() { return align_filter().build(); }

}  // namespace whorl
