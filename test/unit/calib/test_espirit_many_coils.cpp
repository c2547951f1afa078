// ESPIRiT with more coils than the calibration region has patches, against the definition in dense matrices.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include "support/dense.hpp"
#include "whorl/calib/coil_maps.hpp"
#include "whorl/core/error.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/phantom/shepp_logan.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;
using test::DenseMatrix;

constexpr Index many_coils = 12;
constexpr Index extent_y = 9;
constexpr Index extent_x = 11;
constexpr Index kernel = 4;
constexpr Index image_y = 14;
constexpr Index image_x = 18;

// Exact k-space of the head, [coil, y, x], k = 0 at floor(extent/2).
Array<Complex> head_region(const Context& ctx) {
  const PhantomCoils coils = make_phantom_coils(ctx, {image_x, image_y, 1}, many_coils);
  Array<double> points(ctx, {extent_y * extent_x, 2});
  for (Index i = 0; i < points.extent(0); ++i) {
    points.data()[2 * i] = static_cast<double>(i % extent_x - extent_x / 2) / image_x;
    points.data()[2 * i + 1] = static_cast<double>(i / extent_x - extent_y / 2) / image_y;
  }
  auto data = phantom_coil_samples<double>(ctx, shepp_logan(2, PhantomContrast::modified), coils, points);
  data.reshape({many_coils, extent_y, extent_x});
  return data;
}

// The projector on the left singular vectors of the matrix of patches, one in each column.
DenseMatrix signal_projector(const Array<Complex>& data, double threshold) {
  constexpr Index along_x = extent_x - kernel + 1;
  constexpr Index patches = along_x * (extent_y - kernel + 1);
  const auto view = data.view<3>();
  DenseMatrix matrix(many_coils * kernel * kernel, patches);
  for (Index patch = 0; patch < patches; ++patch) {
    for (Index row = 0; row < matrix.rows(); ++row) {
      const Index y = row / kernel % kernel + patch / along_x;
      const Index x = row % kernel + patch % along_x;
      matrix(row, patch) = view(row / kernel / kernel, y, x);
    }
  }
  // The singular vectors u, v of A are (u, v)/sqrt(2), eigenvectors of (0 A; A^H 0), as exact as the decomposition of A itself.
  const Index size = matrix.rows() + patches;
  DenseMatrix both = DenseMatrix::Zero(size, size);
  both.topRightCorner(matrix.rows(), patches) = matrix;
  both.bottomLeftCorner(patches, matrix.rows()) = matrix.adjoint();
  const Eigen::VectorXd values = test::eigenvalues(both);  // rising
  Index count = 0;
  while (count < patches && values(size - 1 - count) >= threshold * values(size - 1)) ++count;
  const DenseMatrix basis = std::numbers::sqrt2 * test::eigenvectors(both).topRightCorner(matrix.rows(), count);
  return basis * basis.adjoint();
}

// G_cd(r) = 1/patch sum over p, p' of P_(p,c),(p',d) exp(-2 pi i (p' - p).r / N).
DenseMatrix voxel_operator(const DenseMatrix& projector, Index y, Index x) {
  constexpr Index patch = kernel * kernel;
  const auto phase = [&](Index p) {
    const double turns = static_cast<double>((p / kernel) * (y - image_y / 2)) / image_y +
                         static_cast<double>((p % kernel) * (x - image_x / 2)) / image_x;
    return std::polar(1.0, 2 * std::numbers::pi * turns);
  };
  DenseMatrix g = DenseMatrix::Zero(many_coils, many_coils);
  for (Index row = 0; row < projector.rows(); ++row) {
    for (Index column = 0; column < projector.cols(); ++column) {
      g(row / patch, column / patch) +=
          projector(row, column) * phase(row % patch) * std::conj(phase(column % patch)) / static_cast<double>(patch);
    }
  }
  return g;
}

// The eigenvectors of A^H A are exact to eps over the gap of their values, those of A to eps / threshold^2 times that:
// 2e-16 / 4e-4 for the default. A hundred of these for the sums over 192 rows and the gap at the limit; a map besides
// divides by the gap between its voxel's first two eigenvalues.
double operator_rounding(double threshold) { return 100 * 2e-16 / (threshold * threshold); }

void expect_definition(double threshold) {
  const Context ctx({.threads = 2});
  const Array<Complex> data = head_region(ctx);
  const CoilMaps<double> found =
      espirit<double>(ctx, data, {image_y, image_x}, {.kernel = kernel, .singular_value_threshold = threshold});
  const DenseMatrix projector = signal_projector(data, threshold);
  Index clear = 0;
  for (Index voxel = 0; voxel < image_y * image_x; ++voxel) {
    const DenseMatrix g = voxel_operator(projector, voxel / image_x, voxel % image_x);
    const Eigen::VectorXd values = test::eigenvalues(g);
    const double largest = values(many_coils - 1);
    const double gap = largest - values(many_coils - 2);
    ASSERT_NEAR(found.eigenvalues.data()[voxel], largest, operator_rounding(threshold)) << "voxel " << voxel;
    if (largest < 0.81 || gap < 0.01) continue;
    ++clear;
    const test::DenseVector vector = test::eigenvectors(g).col(many_coils - 1);
    Complex product = 0;  // of norm 1 where both vectors are the same but for their phase
    for (Index coil = 0; coil < many_coils; ++coil) {
      product += std::conj(found.maps.data()[coil * image_y * image_x + voxel]) * vector(coil);
    }
    EXPECT_NEAR(std::abs(product), 1, operator_rounding(threshold) / gap) << "voxel " << voxel;
  }
  EXPECT_GT(clear, image_y * image_x / 4);
}

TEST(EspiritManyCoils, MapsAreThoseOfTheDefinition) { expect_definition(0.02); }

// Below 1e-4 the larger Gram matrix is taken.
TEST(EspiritManyCoils, AThresholdNearRoundingToo) { expect_definition(5e-5); }

TEST(EspiritManyCoils, TheNumberOfThreadsChangesNothing) {
  const Context one({.threads = 1});
  const Context three({.threads = 3});
  const auto a = espirit<double>(one, head_region(one), {image_y, image_x}, {});
  const auto b = espirit<double>(three, head_region(three), {image_y, image_x}, {});
  for (Index i = 0; i < a.maps.size(); ++i) ASSERT_EQ(a.maps.data()[i], b.maps.data()[i]);
}

// Lists the stages, and asks to stop when one of this name begins.
class StopAt : public ProgressSink {
 public:
  explicit StopAt(std::string stage) : stage_(std::move(stage)) {}
  void begin(std::string_view stage, Index total) override {
    EXPECT_GT(total, 0);
    stages.emplace_back(stage);
    if (stage == stage_) ctx->request_cancel();
  }
  void update(Index, std::string_view) override {}
  void end() override {}

  std::vector<std::string> stages;
  const Context* ctx = nullptr;

 private:
  std::string stage_;
};

TEST(EspiritManyCoils, EveryPartIsAStageThatCanBeStopped) {
  const std::vector<std::string> stages{"ESPIRiT: correlations", "ESPIRiT: signal space", "ESPIRiT: operator",
                                        "ESPIRiT: maps"};
  const Array<Complex> data = head_region(Context());
  for (const std::string& stop : stages) {
    const auto sink = std::make_shared<StopAt>(stop);
    const Context ctx({.threads = 2, .progress = sink});
    sink->ctx = &ctx;
    EXPECT_THROW(espirit<double>(ctx, data, {image_y, image_x}, {}), Cancelled) << stop;
    EXPECT_EQ(sink->stages,
              std::vector<std::string>(stages.begin(), std::find(stages.begin(), stages.end(), stop) + 1));
  }
}

}  // namespace
}  // namespace whorl
