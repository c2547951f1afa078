#include "whorl/filter/stream.hpp"

#include <gtest/gtest.h>

#include "support/device.hpp"
#include "support/images.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

void copy_rows(const Image& from, Index first, Index count, Image& to, Index at) {
  with_pixel_type(from.format().type, [&](auto number) {
    using T = decltype(number);
    const Index row = from.format().row();
    for (Index slice = 0; slice < from.format().slices(); ++slice) {
      const T* source = from.pixels<T>().data() + (slice * from.format().height + first) * row;
      std::copy(source, source + count * row, to.pixels<T>().data() + (slice * to.format().height + at) * row);
    }
  });
}

// The image as a stream, and what came out of it.
struct Streamed {
  Image result;
  Index bands = 0;
  Index rows_read = 0;
};

Streamed stream(const std::string& text, const Image& image, std::size_t max_memory) {
  const Context ctx = test::device_context();
  const Pipeline pipeline = Pipeline::parse(text);
  Streamed streamed{Image(ctx.host(), pipeline.output(image.format()))};
  Index next = 0;
  apply_in_bands(ctx, pipeline,
                 {image.format(),
                  [&](RowRange rows, Image& band) {
                    copy_rows(image, rows.first, rows.count(), band, 0);
                    streamed.rows_read += rows.count();
                  },
                  [&](RowRange rows, const Image& band) {
                    EXPECT_EQ(rows.first, next);
                    next = rows.last;
                    ++streamed.bands;
                    copy_rows(band, 0, rows.count(), streamed.result, rows.first);
                  }},
                 max_memory);
  EXPECT_EQ(next, streamed.result.format().height);
  return streamed;
}

// What is set aside for tables and histograms.
std::size_t tables(PixelType type) { return type == PixelType::uint8 ? 1 << 15 : 1 << 22; }

TEST(Stream, IsTheWholeInBands) {
  const Context ctx = test::device_context();
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    const Image image = test::random_image({type, Channels::rgb, 1, 2, 203, 37}, 3);
    for (const char* text : {"gamma 0.7", "flip y", "gamma 0.7 | flip y | gray", "gray-world | gamma 0.5 | gray",
                             "autocontrast 0.02 | flip", "gray | equalize | threshold", "gray"}) {
      const Image whole = to_host(ctx, Pipeline::parse(text).apply(ctx, clone(ctx, image)));
      const Streamed streamed =
          stream(text, image, image.format().bytes() + (std::string(text) == "flip y" ? 0 : tables(type)));
      EXPECT_GT(streamed.bands, 3) << text << " " << to_string(type);
      EXPECT_EQ(test::largest_difference(streamed.result, whole), 0) << text << " " << to_string(type);
      EXPECT_EQ(stream(text, image, 0).bands, 1) << text;
    }
  }
}

// What is done in one pass over the whole is done in several over bands.
TEST(Stream, IsTheWholeWhereFiltersDoWhatIsBesideThem) {
  const Context ctx = test::device_context();
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    const Image image = test::random_image({type, Channels::rgba, 1, 1, 203, 37}, 3);
    for (const char* text : {"gamma 0.7 | gaussian 1 2 | gray", "invert | median 2 | gamma 0.5",
                             "gray | sobel-x | scale 2 | dilate 1", "invert | resize 1.4 | gray"}) {
      const Image whole = to_host(ctx, Pipeline::parse(text).apply(ctx, clone(ctx, image)));
      const Streamed streamed = stream(text, image, image.format().bytes() + tables(type));
      EXPECT_GT(streamed.bands, 1) << text << " " << to_string(type);
      // Both sum in the same order; floats may differ where a band begins at another place of a vector.
      const double allowed = type == PixelType::float32 ? 1e-6 : 0;
      EXPECT_LE(test::largest_difference(streamed.result, whole), allowed) << text << " " << to_string(type);
    }
  }
}

TEST(Stream, ReadsRowsOnceAPass) {
  const Image image = test::random_image({PixelType::uint8, Channels::rgb, 1, 1, 203, 37}, 3);
  const std::size_t memory = image.format().bytes() / 2 + tables(PixelType::uint8);
  EXPECT_EQ(stream("gamma 0.7 | flip", image, memory).rows_read, 203);
  EXPECT_EQ(stream("gray-world | gamma 0.7", image, memory).rows_read, 2 * 203);
}

TEST(Stream, RefusesWhatDoesNotFit) {
  const Image image = test::random_image({PixelType::uint8, Channels::gray, 1, 1, 203, 37}, 3);
  try {
    stream("gamma 0.7 | clahe", image, 5000);
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("clahe: needs the whole image at once"), std::string::npos) << text;
    EXPECT_NE(text.find("more than the 5000 allowed"), std::string::npos) << text;
  }
  EXPECT_THROW(stream("gamma 0.7", image, 100), Error);
}

TEST(Stream, StopsOnRequest) {
  const Context ctx = test::device_context();
  const Pipeline pipeline = Pipeline::parse("gamma 0.7");
  const ImageStream stopped{{PixelType::uint8, Channels::gray, 1, 1, 200, 30},
                            [&](RowRange, Image&) { ctx.request_cancel(); },
                            [](RowRange, const Image&) {}};
  EXPECT_THROW(apply_in_bands(ctx, pipeline, stopped, 40000), Cancelled);
}

}  // namespace
}  // namespace whorl
