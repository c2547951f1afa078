// Lambda chosen for a small noisy scan, against the lambda that gives the best image.
#include <gtest/gtest.h>

#include <cmath>

#include "support/phantom_scan.hpp"
#include "support/shared.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/operator.hpp"
#include "whorl/op/sense.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/recon/choose_lambda.hpp"
#include "whorl/recon/spectral_lambda.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

TEST(ChooseLambdaPhantom, AllMethodsComeNearTheBestImage) {
  const Context ctx{{.threads = 2}};
  const std::array<Index, 3> matrix{48, 40, 1};
  const double noise = 0.2;
  auto trajectory = std::make_shared<Trajectory>(radial_trajectory(ctx, 16, 96, SpokeOrder::golden_angle));
  Scan scan =
      test::make_phantom_scan(ctx, trajectory, matrix, {.coils = 4, .noise_standard_deviation = noise, .seed = 7});
  // As prewhitening leaves them.
  for (auto& sample : scan.frames[0].data.span()) sample /= static_cast<float>(noise);
  auto maps = phantom_coil_maps<float>(ctx, make_phantom_coils(ctx, matrix, 4));
  const auto truth = rasterize<float>(ctx, shepp_logan(2, PhantomContrast::modified), matrix, 8);
  Nufft<float> nufft(ctx, trajectory->points, {40, 48}, 4, {.normal = NormalMethod::automatic});
  const Operator<float> encoding = std::move(nufft) * Sense<float>(maps.share());
  const RegularizedModel<float> model{encoding, normal_eigenvalue<float>(ctx, encoding)};
  const Array<Complex>& data = scan.frames[0].data;

  const auto error_of = [&](double lambda) {
    Array<Complex> image(ctx, {40, 48});
    least_squares<float>(ctx, "test", model, data, {.iterations = 100, .tolerance = 1e-4, .lambda = lambda}, image);
    double difference = 0;
    double total = 0;
    for (Index i = 0; i < image.size(); ++i) {
      difference += std::norm(image.data()[i] * static_cast<float>(noise) - Complex(truth.data()[i]));
      total += std::pow(truth.data()[i], 2);
    }
    return std::sqrt(difference / total);
  };
  double best = 1;
  for (int i = 0; i <= 12; ++i) best = std::min(best, error_of(std::pow(10, -i / 4.0)));

  // The error near its least value goes with the square of log lambda. The discrepancy principle smooths too much and
  // cross-validation, which looks at the data and not at the image, too little, each by a factor of lambda of about 2;
  // from the best to a lambda 10 times too small or large the error here doubles, so that a factor of 2, 30 % of that
  // way, costs about 0.3^2, a tenth. Without a choice, at the default 1e-4, the image is noise.
  for (const LambdaMethod method : {LambdaMethod::gcv, LambdaMethod::discrepancy, LambdaMethod::l_curve}) {
    const LambdaChoice choice = choose_lambda<float>(ctx, model, data, {.method = method});
    const double error = error_of(choice.lambda);
    std::printf("%s: error %.4f of the truth, %.3f times the best\n", choice.reason.c_str(), error, error / best);
    EXPECT_LT(error, 1.15 * best) << to_string(method);
  }
  const LambdaChoice spectral = spectral_lambda<float>(ctx, *trajectory, {40, 48}, data, model.eigenvalue);
  std::printf("%s: error %.4f of the truth, %.3f times the best\n", spectral.reason.c_str(), error_of(spectral.lambda),
              error_of(spectral.lambda) / best);
  EXPECT_LT(error_of(spectral.lambda), 1.15 * best);
  EXPECT_GT(error_of(1e-4), 2 * best);
}

}  // namespace
}  // namespace whorl
