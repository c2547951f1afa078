// Images that a reconstruction hands over before it ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "unit/recon/test_scan.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

// Each image once, where it lies in the result, and as it is in the end: in the unit of data far from 1, with its corners
// set to 0.
TEST(FinalImages, AreToldOf) {
  const Context ctx{{.threads = 2}};
  for (const ReconMethod method : {ReconMethod::gridding, ReconMethod::cg_sense}) {
    Scan series = test::make_test_scan(ctx);
    for (auto& sample : series.frames[0].data.span()) sample *= 1e-25F;
    test::add_frame(ctx, series, {.repetition = 1}, {0, 2});
    test::add_frame(ctx, series, {.repetition = 2}, {3, 0});
    ReconOptions options{
        .method = method, .prewhiten = false, .cg_sense = {.iterations = 3}, .mask = ImageMask::field_of_view};
    const Reconstruction plain = reconstruct(ctx, clone(ctx, series), options);
    std::vector<const Complex*> places;
    std::vector<Complex> values;
    options.resources.on_image = [&](Index frame, ArrayRef<const Complex> image) {
      EXPECT_EQ(frame, std::ssize(places));
      EXPECT_EQ(image.shape(), plain.images.shape().tail());
      places.push_back(image.data());
      values.insert(values.end(), image.span().begin(), image.span().end());
    };
    const Reconstruction told = reconstruct(ctx, std::move(series), options);
    ASSERT_EQ(places.size(), 3U);
    for (Index frame = 0; frame < 3; ++frame) {
      EXPECT_EQ(places[static_cast<std::size_t>(frame)], told.images.slice(frame).data());
    }
    EXPECT_TRUE(std::equal(values.begin(), values.end(), told.images.data()));
    EXPECT_TRUE(std::equal(values.begin(), values.end(), plain.images.data()));
  }
}

}  // namespace
}  // namespace whorl
