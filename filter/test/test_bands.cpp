// What holds of every filter, on the small cases of bench/filter_cases.hpp: an image in bands is the image as a whole.
#include <gtest/gtest.h>

#include "bench/filter_cases.hpp"
#include "bench/filter_test_image.hpp"
#include "support/device.hpp"
#include "support/images.hpp"
#include "whorl/filter/pipeline.hpp"

namespace whorl {
namespace {

Image with_height(const Context& ctx, ImageFormat format, Index height) {
  format.height = height;
  return Image(ctx, format);
}

// Rows of a host image.
Image take_rows(const Context& ctx, const Image& image, RowRange range) {
  Image part = with_height(ctx, image.format(), range.count());
  const ImageFormat& format = image.format();
  with_pixel_type(format.type, [&](auto number) {
    using T = decltype(number);
    for (Index slice = 0; slice < format.slices(); ++slice) {
      const T* from = image.pixels<T>().data() + (slice * format.height + range.first) * format.row();
      std::copy(from, from + range.count() * format.row(),
                part.pixels<T>().data() + slice * range.count() * format.row());
    }
  });
  return part;
}

TEST(Filters, TakeAnImageInBands) {
  const Context ctx = test::device_context();
  for (const bench::FilterCase& what : bench::filter_cases()) {
    if (!what.small) continue;
    const Pipeline pipeline = Pipeline::parse(what.text);
    if (pipeline.filters().size() != 1) continue;
    const Filter& filter = *pipeline.filters().front();
    const Image image = bench::filter_test_image(ctx.host(), what.format);
    const Image whole = to_host(ctx, filter.apply(ctx, clone(ctx, image)));
    const Index height = whole.format().height;
    if (filter.rows_needed(what.format, {height / 2, height / 2 + 1}).count() == what.format.height) continue;
    for (const RowRange wanted :
         {RowRange{0, height / 3}, RowRange{height / 3, 2 * height / 3 + 1}, RowRange{2 * height / 3 + 1, height}}) {
      const RowRange given = filter.rows_needed(what.format, wanted);
      Image result = with_height(ctx, whole.format(), wanted.count());
      filter.apply_to_band(ctx, what.format, clone(ctx, take_rows(ctx.host(), image, given)), given, wanted, result);
      // Both sum in the same order; floats may differ where a band begins at another place of a vector.
      const double allowed = whole.format().type == PixelType::float32 ? 1e-6 : 0;
      EXPECT_LE(test::largest_difference(to_host(ctx, result), take_rows(ctx.host(), whole, wanted)), allowed)
          << what.name() << " rows " << wanted.first << " to " << wanted.last;
    }
  }
}

}  // namespace
}  // namespace whorl
