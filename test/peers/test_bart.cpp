// Our images against BART's, from the same data and trajectory: magnitudes, after the best scaling.
//
// The bounds: both adjoints differ by BART's NUFFT, which errs by about 1 % with its default window, so 5 % leaves room
// for the edge of k-space; CG-SENSE differs by maps that each program estimates for itself, by the mask that it cuts
// them with and by the iteration that it stops at. All this is 10 % at most of an image that both agree on.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "peers/bart.hpp"
#include "whorl/density/pipe_menon.hpp"
#include "whorl/io/convert.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/measure/scaled_error.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/solver/largest_eigenvalue.hpp"

namespace whorl {
namespace {

namespace fs = std::filesystem;

// Error of the magnitudes, after the best scaling.
double nrmse(const Context& ctx, ArrayRef<const std::complex<float>> image, const std::vector<float>& other) {
  const auto truth = ArrayRef<const float>(other.data(), {static_cast<Index>(other.size())});
  const auto size = Shape{image.size()};
  return scaled_error<float>(ctx, magnitude<float>(ctx, image.reshape(size)), truth).nrmse;
}

Scan first_frame_of(Scan scan) {
  std::vector<ScanFrame> first;
  first.push_back(std::move(scan.frames.front()));
  scan.frames = std::move(first);
  return scan;
}

class AgainstBart : public testing::Test {
 protected:
  void SetUp() override {
    if (!test::bart_is_there())
      GTEST_SKIP() << "bart is not on the path (Debian: package bart): nothing to compare with";
  }

  static fs::path measured(const char* name) {
    const char* data = std::getenv("WHORL_TEST_DATA");
    return data == nullptr ? fs::path() : fs::path(data) / "mri" / name;
  }

  // `scan` makes the scan anew: a reconstruction uses it up.
  template <class MakeScan>
  void compare(const char* name, const MakeScan& scan) {
    const Scan reference = scan();
    const ScanFrame& frame = reference.frames.front();
    const auto weights = pipe_menon_density<float>(ctx, frame.trajectory->points, reference.image_shape()).weights;
    const test::Bart bart(reference, frame, weights);

    ReconOptions options{.method = ReconMethod::gridding, .prewhiten = false, .density = DensityMethod::pipe_menon};
    options.mask = ImageMask::none;  // BART keeps the corners
    const Reconstruction gridded = reconstruct(ctx, scan(), options);
    const double adjoint = nrmse(ctx, gridded.images.slice(0), bart.adjoint());
    options.method = ReconMethod::cg_sense;
    options.cg_sense.lambda = 1e-3;
    options.cg_sense.iterations = 30;  // of both programs
    // BART's weight belongs to the operator as it is, ours to that of norm 1. Maps of sum |s|^2 = 1 leave the norm.
    const Nufft<float> nufft(ctx, frame.trajectory->points, reference.image_shape(), 1);
    const double norm = largest_eigenvalue<float>(
                            ctx, [&](const Context& c, auto x, auto z) { nufft.normal(c, x, z); }, nufft.domain())
                            .value;
    const Reconstruction solved = reconstruct(ctx, scan(), options);
    const double iterative =
        nrmse(ctx, solved.images.slice(0), bart.pics(options.cg_sense.iterations, options.cg_sense.lambda * norm));
    std::printf("%s: NRMSE to BART: adjoint %.2f %%, CG-SENSE %.2f %%\n", name, 100 * adjoint, 100 * iterative);
    EXPECT_LT(adjoint, 0.05);
    EXPECT_LT(iterative, 0.10);
  }

  const Context ctx{{.threads = 2}};
};

TEST_F(AgainstBart, ShippedScan) {
  compare("shipped scan",
          [this] { return read_scan(ctx, fs::path(WHORL_SOURCE_DIR) / "data" / "brain_radial_4ch.h5"); });
}

TEST_F(AgainstBart, Liver) {
  if (measured("").empty()) GTEST_SKIP() << "WHORL_TEST_DATA is not set: no measured data";
  compare("liver, 16-arm spiral", [this] {
    return first_frame_of(convert_scan(ctx,
                                       {measured("liver.trj"), measured("liver.0.data"), measured("liver.1.data"),
                                        measured("liver.2.data"), measured("liver.3.data")},
                                       {.matrix = {256, 256, 1}, .readout_length = 2250}));
  });
}

TEST_F(AgainstBart, SixShotSpiral) {
  if (measured("").empty()) GTEST_SKIP() << "WHORL_TEST_DATA is not set: no measured data";
  compare("six-shot spiral", [this] {
    return convert_scan(ctx, {measured("rt_spiral_03.mat")}, {.matrix = {128, 128, 1}});
  });
}

TEST_F(AgainstBart, Xenon) {
  if (measured("").empty()) GTEST_SKIP() << "WHORL_TEST_DATA is not set: no measured data";
  compare("xenon, 3D radial from the center", [this] {
    return first_frame_of(convert_scan(ctx, {measured("xe_radial3d_Example_data.mat")},
                                       {.matrix = {32, 32, 32}, .data_axes = {"contrast", "readout", "shot"}}));
  });
}

}  // namespace
}  // namespace whorl
