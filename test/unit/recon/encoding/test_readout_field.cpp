// The field of a single readout, found together with the image. The data are exact sums with each pixel's own evolution.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "unit/recon/encoding/evolving_scan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/recon/readout_field.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl {
namespace {

using test::Complex;

constexpr std::array<Index, 3> matrix{30, 26, 1};
constexpr Index coils = 6;

// The brain along a spiral of 6 arms and 200 samples, with noise of 1 % of the brightest pixel. The field of a blob has 100 Hz,
// 1.2 turns in 12 ms.
class ReadoutFieldTest : public testing::Test {
 protected:
  ReadoutFieldTest() : truth(ctx, {matrix[1], matrix[0]}) {
    image = test::smoothed(ctx, test::to_double(ctx, rasterize<float>(ctx, brain_phantom(2), matrix, 8)));
    double largest = 0;
    for (const Complex value : image.span()) largest = std::max(largest, std::abs(value));
    for (Complex& value : image.span()) value = std::abs(value) < 0.01 * largest ? 0 : value / largest;
    maps = test::to_double(ctx, phantom_coil_maps<double>(ctx, make_phantom_coils(ctx, matrix, coils)));
    for (Index r = 0; r < image.size(); ++r) {  // with sum |s|^2 = 1, as reconstruct makes them
      double sum = 0;
      for (Index c = 0; c < coils; ++c) sum += std::norm(maps.data()[c * image.size() + r]);
      for (Index c = 0; c < coils; ++c) maps.data()[c * image.size() + r] /= std::sqrt(sum);
    }
    for (Index r = 0; r < image.size(); ++r) {
      const double x = static_cast<double>(r % matrix[0]) - 19;
      const double y = static_cast<double>(r / matrix[0]) - 16;
      truth.data()[r] = static_cast<float>(100 * std::exp(-(x * x + y * y) / 70) - 30);
    }
    trajectory = std::make_shared<const Trajectory>(spiral_trajectory(ctx, 6, 200, 3));
  }

  Scan scan(double dwell_us, bool in_field, double noise = 0.01) const {
    const auto field = in_field ? clone(ctx, truth.ref()) : zeros<float>(ctx, truth.shape());
    Scan made = test::scan_of(ctx, image, maps, exponential_signal(ctx, ArrayRef<const float>(), field), trajectory,
                              dwell_us, 0);
    for (Index i = 0; i < made.frames[0].data.size(); ++i) {
      const auto n = static_cast<std::uint64_t>(i);
      made.frames[0].data.data()[i] += std::complex<float>(static_cast<float>(noise * random_normal(3, n)),
                                                           static_cast<float>(noise * random_normal(4, n)));
    }
    return made;
  }

  static ReconOptions options() {
    return {.prewhiten = false, .coil_maps = CoilMapMethod::file, .cg_sense = {.iterations = 40, .lambda = 1e-3}};
  }

  // Root of the mean square in the object.
  double error(const Array<float>& field) const {
    double sum = 0;
    double count = 0;
    for (Index r = 0; r < image.size(); ++r) {
      if (std::abs(image.data()[r]) < 0.1) continue;
      sum += std::pow(double(field.data()[r]) - double(truth.data()[r]), 2);
      ++count;
    }
    return std::sqrt(sum / count);
  }

  std::string refusal(const Scan& of, const ReconOptions& by) const {
    try {
      readout_field(device, clone(ctx, of), by);
    } catch (const ValueError& error) {
      return error.what();
    }
    return {};
  }

  Context ctx;  // of what is made for the test
  Context device = test::device_context();
  Array<float> truth;
  Array<Complex> image;
  Array<Complex> maps;
  std::shared_ptr<const Trajectory> trajectory;
};

// The field is 29 Hz in the root of the mean square. What a fifth of it leaves turns the last sample by 0.07 turns; it is at the
// edge of the object, whose details the field's coefficients do not have. The image then is four fifths of the way to that with
// the true field, whose error is of noise alone.
TEST_F(ReadoutFieldTest, FindsTheFieldAndTheImage) {
  const Scan measured = scan(60, true);
  const ReadoutField found = readout_field(device, clone(ctx, measured), options());
  const double before = error(zeros<float>(ctx, truth.shape()));
  const double after = error(found.hertz);
  std::printf("field: %.2f Hz off, without it %.2f; held out %.4f, without it %.4f; %.0f standard errors, %d steps\n",
              after, before, found.error_after, found.error_before, found.significance, found.steps);
  EXPECT_LT(after, 0.2 * before);
  EXPECT_GT(found.significance, 5);
  const auto image_error_with = [&](const Array<float>* field) {
    ReconOptions with = options();
    if (field != nullptr) with.signal.field_map = test::map_image(ctx, "field", *field, matrix);
    return test::image_error(reconstruct(device, measured, with), image);
  };
  const double plain = image_error_with(nullptr);
  const double corrected = image_error_with(&found.hertz);
  const double best = image_error_with(&truth);
  std::printf("image: error %.3f, corrected %.3f, with the true field %.3f\n", plain, corrected, best);
  EXPECT_LT(corrected - best, 0.2 * (plain - best));
}

// On resonance, and with readouts of 0.2 ms in which the field turns by 0.02 turns, held out samples are predicted as well
// without a field.
TEST_F(ReadoutFieldTest, DataThatCannotDecideAreRefused) {
  EXPECT_NE(refusal(scan(60, false), options()).find("cannot decide"), std::string::npos);
  EXPECT_NE(refusal(scan(1, true), options()).find("cannot decide"), std::string::npos);
  Scan slices = scan(60, true);
  slices.frames.push_back({{.slice = 1}, trajectory, nullptr, clone(ctx, slices.frames[0].data.ref()), {}});
  ReconOptions estimated = options();
  estimated.coil_maps = CoilMapMethod::espirit;
  EXPECT_NE(refusal(slices, estimated).find("several slices"), std::string::npos);
  ReconOptions mapped = options();
  mapped.signal.field_map = test::map_image(ctx, "field", truth, matrix);
  EXPECT_NE(refusal(scan(60, true), mapped).find("are given"), std::string::npos);
  Scan timeless = scan(60, true);
  timeless.dwell_us = 0;
  EXPECT_NE(refusal(timeless, options()).find("dwell"), std::string::npos);
}

}  // namespace
}  // namespace whorl
