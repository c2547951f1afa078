// Error bars of the truth: their moments against dense matrices, and how often they hold the truth of random heads.
#include "whorl/recon/truth_error.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "support/shared.hpp"
#include "unit/recon/dense_encoding.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/operator.hpp"
#include "whorl/op/sense.hpp"
#include "whorl/op/weighted_differences.hpp"
#include "whorl/phantom/phantom.hpp"
#include "whorl/prior/edge_weights.hpp"
#include "whorl/recon/choose_lambda.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

using test::DenseMatrix;
using test::DenseOperator;

constexpr Index rows = 7;
constexpr Index columns = 9;
constexpr Index unknowns = rows * columns;
constexpr double unseen_radius = 1.5;

// Column r has 1 in the voxels that lie within the radius of voxel r.
DenseMatrix dense_balls() {
  DenseMatrix balls = DenseMatrix::Zero(unknowns, unknowns);
  for (Index r = 0; r < unknowns; ++r) {
    for (Index q = 0; q < unknowns; ++q) {
      const double apart = std::hypot(double(r / columns - q / columns), double(r % columns - q % columns));
      if (apart <= unseen_radius) balls(q, r) = 1;
    }
  }
  return balls;
}

// Means of R products of normal numbers: a variance has the relative error 1/sqrt(R), the real part of a covariance the
// error sqrt(product of the variances / R) at most. 5 of these hold for 63 voxels but for a probability of 63 * 6e-7, and a
// little more for the skewness of squares: 6.
TEST(ErrorMomentsOfAModel, AreThoseOfDenseMatrices) {
  const Context ctx{{.threads = 2}};
  const DenseOperator A{
      test::dense_encoding(test::random_positions(150), rows, columns, test::random_maps(3, unknowns)),
      {rows, columns}};
  const DenseOperator W{test::dense_differences(rows, columns), {rows, columns}};
  const double s = test::largest_normal_eigenvalue(A.matrix());
  constexpr double lambda = 0.3;
  constexpr int replicas = 1000;
  const RegularizedModel<double> model{test::shared<double>(A), s, {{test::shared<double>(W), 2}}};
  const ErrorMoments found = error_moments<double>(ctx, "test", model, lambda, unseen_radius,
                                                   {.count = replicas, .batch = 7, .tolerance = 1e-9});

  const DenseMatrix Q = 2 * W.normal_matrix();
  const DenseMatrix F = A.normal_matrix() / s;
  const DenseMatrix inverse = test::inverse(DenseMatrix(F + lambda * Q));
  const DenseMatrix noise = inverse * F * inverse / s;
  const DenseMatrix bias = lambda / s * inverse * Q * inverse;
  const DenseMatrix T = dense_balls();
  const DenseMatrix taken = lambda * inverse * Q * T;
  const DenseMatrix score = lambda / s * T.adjoint() * Q * inverse * F * T;
  const DenseMatrix by_noise = lambda * lambda * T.adjoint() * Q * noise * Q * T;
  const double error = 6 / std::sqrt(double{replicas});
  const auto near = [&](const std::vector<double>& values, const auto& expected, const char* what) {
    for (Index i = 0; i < unknowns; ++i) {
      EXPECT_NEAR(values[static_cast<std::size_t>(i)] / expected(i), 1, error) << what << " " << i;
    }
  };
  near(
      found.noise, [&](Index i) { return noise(i, i).real(); }, "noise");
  near(
      found.bias, [&](Index i) { return bias(i, i).real(); }, "bias");
  near(
      found.score_noise, [&](Index i) { return by_noise(i, i).real(); }, "score by noise");
  near(
      found.score_object, [&](Index i) { return score(i, i).real() - by_noise(i, i).real(); }, "score by objects");
  const DenseMatrix pull = T.adjoint() * Q * (noise + bias) * Q * T;
  for (Index i = 0; i < unknowns; ++i) {
    const double of_product = std::sqrt((noise + bias)(i, i).real() * pull(i, i).real());
    EXPECT_NEAR(found.taken[static_cast<std::size_t>(i)], taken(i, i).real(), error * lambda * s * of_product) << i;
  }
  // Sums over the voxels are known better.
  EXPECT_NEAR(found.noise_penalty / (Q * noise).trace().real(), 1, error / 2);
  EXPECT_NEAR(found.bias_penalty / (Q * bias).trace().real(), 1, error / 2);
  EXPECT_THROW(error_moments<double>(ctx, "test", model, 0, unseen_radius), ValueError);
  EXPECT_THROW(error_moments<double>(ctx, "test", model, lambda, -1), ValueError);
  EXPECT_THROW(error_moments<double>(ctx, "test", model, lambda, 1, {.count = 1}), ValueError);
  constexpr double endless = std::numeric_limits<double>::infinity();
  EXPECT_THROW(error_moments<double>(ctx, "test", model, lambda, endless), ValueError);

  const auto refused = [&]<class Error>(const Shape& shape, double weight, double radius, double unit,
                                        const ErrorMoments& moments) {
    const auto image = zeros<std::complex<double>>(ctx, shape);
    EXPECT_THROW(truth_error<double>(ctx, model, weight, radius, moments, image, unit), Error);
  };
  const Shape own{rows, columns};
  refused.operator()<ShapeError>({columns, rows}, lambda, 1, 1, found);
  refused.operator()<ValueError>(own, 0, 1, 1, found);
  refused.operator()<ValueError>(own, lambda, -1, 1, found);
  refused.operator()<ValueError>(own, lambda, endless, 1, found);
  refused.operator()<ValueError>(own, lambda, 1, 0, found);
  ErrorMoments fewer = found;
  fewer.taken.pop_back();
  refused.operator()<ShapeError>(own, lambda, 1, 1, fewer);
}

using Complex = std::complex<float>;

constexpr std::array<Index, 3> matrix{24, 24, 1};
const Shape image_shape{24, 24};

// What the reference shows.
enum class Reference { right, misses_an_edge, has_an_edge_too_many };

// A head in millimoles per liter of sodium, its proton image, and the voxels of a lesion that the latter may not show.
struct Head {
  Phantom sodium;
  Array<float> truth;
  Array<float> proton;
  Array<float> hidden;
};

class RandomHeads {
 public:
  RandomHeads(const Context& ctx, std::uint64_t seed) : ctx_(ctx), seed_(seed) {}

  Head make(Reference reference) {
    Phantom sodium{"head", 2, {}};
    Phantom proton{"head", 2, {}};
    const double turn = spread(0.3);
    const auto put = [&](double x, double y, double a, double b, double of_sodium, double of_proton) {
      const Solid ellipse{.center = {x, y, 0}, .half_axes = {a, b, 1}, .angle = turn};
      sodium.regions.push_back({ellipse, {.intensity = of_sodium}});
      proton.regions.push_back({ellipse, {.intensity = of_proton}});
    };
    // Soft tissue 28, fluid 143, gray matter 40 and white matter 34 mmol/L, each within 10 %.
    const double soft = 28 * (1 + spread(0.1));
    const double fluid = 143 * (1 + spread(0.1));
    const double gray = 40 * (1 + spread(0.1));
    const double white = 34 * (1 + spread(0.1));
    put(0, 0, 0.8 + spread(0.05), 0.88 + spread(0.05), soft, 0.45);
    put(0, 0, 0.7, 0.78, fluid - soft, -0.25);
    put(0, 0, 0.62, 0.7, gray - fluid, 0.4);
    for (const double side : {-1.0, 1.0}) {
      put(side * 0.28 + spread(0.02), spread(0.05), 0.22 + spread(0.04), 0.48 + spread(0.06), white - gray, 0.4);
      put(side * 0.2, 0.05, 0.07, 0.2 + spread(0.05), fluid - white, -0.8);
    }
    const double lesion = 62 - white;
    put(0.3 + spread(0.05), -0.2 + spread(0.05), 0.13 + spread(0.03), 0.13 + spread(0.03), lesion, -0.6);
    const double x = -0.3 + spread(0.05);
    const double y = (reference == Reference::misses_an_edge ? -0.2 : 0.3) + spread(0.05);
    const double radius = 0.13 + spread(0.03);
    const Solid disk{.center = {x, y, 0}, .half_axes = {radius, radius, 1}};
    if (reference == Reference::misses_an_edge) sodium.regions.push_back({disk, {.intensity = lesion}});
    if (reference == Reference::has_an_edge_too_many) proton.regions.push_back({disk, {.intensity = -0.5}});
    Head head{sodium, rasterize<float>(ctx_, sodium, matrix, 8), rasterize<float>(ctx_, proton, matrix, 8),
              rasterize<float>(ctx_, Phantom{"disk", 2, {{disk, {.intensity = 1}}}}, matrix, 8)};
    for (float& value : head.proton.span()) value += static_cast<float>(0.01 * random_normal(seed_, count_++));
    return head;
  }

  double spread(double most) { return most * (2 * random_uniform(seed_, count_++) - 1); }

 private:
  const Context& ctx_;
  std::uint64_t seed_;
  std::uint64_t count_ = 0;
};

// How often the truth lies within the bars, over voxels.
struct Coverage {
  double voxels = 0;
  double noise_68 = 0;
  double noise_95 = 0;
  double bar_68 = 0;
  double bar_95 = 0;
  double bound_95 = 0;

  void add(double error, double noise, double bar, double bound) {
    constexpr double z = 1.959964;
    ++voxels;
    noise_68 += error <= noise ? 1 : 0;
    noise_95 += error <= z * noise ? 1 : 0;
    bar_68 += error <= bar ? 1 : 0;
    bar_95 += error <= z * bar ? 1 : 0;
    bound_95 += error <= bound ? 1 : 0;
  }

  double of(double part) const { return 100 * part / voxels; }
  std::string row() const {
    return fmt::format("{:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.1f}", of(noise_68), of(noise_95), of(bar_68), of(bar_95),
                       of(bound_95));
  }
};

struct CoverageOfHeads {
  Coverage head;
  Coverage hidden;
};

// One scan of one head after the other, with noise between 0.25 and 4 times that of a common scan.
class HeadScans {
 public:
  explicit HeadScans(const Context& ctx)
      : ctx_(ctx),
        trajectory_(radial_trajectory(ctx, 40, 48, SpokeOrder::golden_angle)),
        encoding_(Nufft<float>(ctx, trajectory_.points, image_shape, 1,
                               {.tolerance = 1e-5, .normal = NormalMethod::toeplitz}) *
                  Sense<float>(one_coil(ctx))),
        eigenvalue_(normal_eigenvalue<float>(ctx, encoding_)) {}

  void measure(const Head& head, double noise, std::uint64_t seed) {
    noise_ = noise;
    head_ = &head;
    model_ = {encoding_, eigenvalue_, {{edges(head.proton), 1}}};
    const auto exact = phantom_samples(ctx_, head.sodium, matrix, trajectory_.points);
    data_ = Array<Complex>(ctx_, encoding_->range());
    fill_random_normal<float>(data_, seed);
    for (Index i = 0; i < data_.size(); ++i) data_.data()[i] += Complex(exact.data()[i] / noise);
  }

  // In units of the object.
  Array<Complex> image(double lambda) const {
    Array<Complex> x(ctx_, encoding_->domain());
    least_squares<float>(ctx_, "test", model_, data_, {.iterations = 300, .tolerance = 1e-5, .lambda = lambda}, x);
    return x;
  }

  double error(double lambda) const {
    const auto x = image(lambda);
    double squares = 0;
    for (Index i = 0; i < x.size(); ++i) {
      squares += std::pow(noise_ * double{x.data()[i].real()} - double{head_->truth.data()[i]}, 2);
    }
    return std::sqrt(squares);
  }

  double chosen() const { return choose_lambda<float>(ctx_, model_, data_, {.method = LambdaMethod::gcv}).lambda; }

  void cover(double lambda, int replicas, CoverageOfHeads& coverage) const {
    const auto x = image(lambda);
    const ErrorMoments moments = error_moments<float>(ctx_, "test", model_, lambda, unseen_radius,
                                                      {.count = replicas, .batch = 8, .tolerance = 1e-4});
    const auto found = truth_error<float>(ctx_, model_, lambda, unseen_radius, moments, x);
    const float* const truth = head_->truth.data();
    for (Index i = 0; i < x.size(); ++i) {
      if (truth[i] < 10) continue;
      const double error = std::abs(double{x.data()[i].real()} - truth[i] / noise_);
      const double noise = std::sqrt(moments.noise[static_cast<std::size_t>(i)] / 2);
      coverage.head.add(error, noise, found.bar.data()[i], found.bound.data()[i]);
      if (head_->hidden.data()[i] > 0.99F)
        coverage.hidden.add(error, noise, found.bar.data()[i], found.bound.data()[i]);
    }
  }

 private:
  static Array<Complex> one_coil(const Context& ctx) {
    Array<Complex> maps(ctx, image_shape.with_front(1));
    fill<Complex>(maps, 1);
    return maps;
  }

  Operator<float> edges(const Array<float>& proton) const {
    const std::vector<ArrayRef<const float>> references{proton};
    return std::make_shared<const WeightedDifferences<float>>(ctx_, image_shape,
                                                              edge_weights(ctx_, references).weights);
  }

  const Context& ctx_;
  Trajectory trajectory_;
  Operator<float> encoding_;
  double eigenvalue_;
  RegularizedModel<float> model_{};
  Array<Complex> data_;
  double noise_ = 1;
  const Head* head_ = nullptr;
};

// Noise in a sample: 8 to 132, of samples that are sums over some 400 voxels of 40 mmol/L, over 24.
double noise_of(RandomHeads& heads) { return 33 * std::pow(4, heads.spread(1)); }

// Over the least error of nine weights in steps of 2 about that one.
double over_best(const HeadScans& scans, double lambda) {
  double best = scans.error(lambda);
  for (int i = -4; i <= 4; ++i) best = std::min(best, scans.error(lambda * std::pow(2, i)));
  return scans.error(lambda) / best;
}

// 12 heads of some 330 voxels. Errors go together within a voxel's resolution and, where they are bias, along an edge: some 80
// independent numbers of each head, 1000 of all. So chance moves 68 % by sqrt(0.68 * 0.32 / 1000) = 1.5 %, and 95 % by 0.7 %; three
// of these. The bars are root mean squares. Bias gathers at edges, so that more than 68 % of the errors may lie within one: the more
// so, the more of the error is bias, as with a weight that is 5 times too large.
TEST(ErrorBarsOfTheTruth, HoldTheTruthOfRandomHeads) {
  const Context ctx{{.threads = 2}};
  HeadScans scans(ctx);
  CoverageOfHeads chosen;
  CoverageOfHeads too_large;
  double worst = 1;
  for (std::uint64_t number = 0; number < 12; ++number) {
    RandomHeads heads(ctx, 100 + number);
    const Head head = heads.make(static_cast<Reference>(number % 3));
    scans.measure(head, noise_of(heads), 500 + number);
    const double lambda = scans.chosen();
    scans.cover(lambda, 20, chosen);
    scans.cover(5 * lambda, 20, too_large);
    if (number % 3 == 0) worst = std::max(worst, over_best(scans, lambda));
  }
  std::printf("noise 68, 95; truth 68, 95; bound 95: %s; five lambda: %s; error over the least %.3f\n",
              chosen.head.row().c_str(), too_large.head.row().c_str(), worst);
  for (const Coverage& found : {chosen.head, too_large.head}) {
    EXPECT_GT(found.of(found.bar_68), 68.3 - 4.5);
    EXPECT_GT(found.of(found.bar_95), 95 - 2.1);
    EXPECT_GE(found.bound_95, found.bar_95);
    // Noise alone holds the truth in 44 and 73 % of the voxels of 200 heads. Chance moves that by sqrt(0.44 * 0.56 / 1000) = 1.6 %
    // and 1.4 %; three of these. Well below 68 and 95 %.
    EXPECT_LT(found.of(found.noise_68), 44 + 3 * 1.6);
    EXPECT_LT(found.of(found.noise_95), 73 + 3 * 1.4);
  }
  // Four heads have a lesion that the reference does not show. Its voxels go together: at worst each lesion is within the bound or
  // not, with 95 % as for a single voxel. Two or more are not with 1.4 %: so three of four are.
  for (const Coverage& found : {chosen.hidden, too_large.hidden}) {
    ASSERT_GT(found.voxels, 0);
    EXPECT_GE(found.of(found.bound_95), 75);
  }
  // Cross-validation is flat at its minimum, as the error is, and finds lambda to a factor of some 3 with 576 unknowns. The error
  // rises by a half over a decade to both sides, with the square of the distance: by an eighth, and twice that in the worst of four.
  EXPECT_LT(worst, 1.3);
}

// What scripts/truth-table puts into docs/records/truth_coverage.md.
void print_rows(const char* name, Reference reference) {
  const Context ctx;
  HeadScans scans(ctx);
  CoverageOfHeads chosen;
  CoverageOfHeads by_hand;
  double chosen_error = 0;
  double fixed_error = 0;
  constexpr int count = 200;
  for (std::uint64_t number = 0; number < count; ++number) {
    RandomHeads heads(ctx, 1000 + number);
    const Head head = heads.make(reference);
    scans.measure(head, noise_of(heads), 5000 + number);
    const double lambda = scans.chosen();
    scans.cover(lambda, 30, chosen);
    scans.cover(0.1, 30, by_hand);
    const double over = over_best(scans, lambda);
    chosen_error += over / count;
    fixed_error += over * scans.error(0.1) / scans.error(lambda) / count;
  }
  fmt::print("| {} | chosen (gcv) | {:.2f} | head | {} |\n", name, chosen_error, chosen.head.row());
  fmt::print("| {} | 0.1 | {:.2f} | head | {} |\n", name, fixed_error, by_hand.head.row());
  if (reference != Reference::misses_an_edge) return;
  fmt::print("| {} | chosen (gcv) | | the lesion | {} |\n", name, chosen.hidden.row());
  fmt::print("| {} | 0.1 | | the lesion | {} |\n", name, by_hand.hidden.row());
}

TEST(ErrorBarsOfTheTruth, DISABLED_TableOfARightReference) { print_rows("right", Reference::right); }
TEST(ErrorBarsOfTheTruth, DISABLED_TableOfAHiddenLesion) { print_rows("misses a lesion", Reference::misses_an_edge); }
TEST(ErrorBarsOfTheTruth, DISABLED_TableOfAnEdgeTooMany) {
  print_rows("shows a lesion that is none", Reference::has_an_edge_too_many);
}

}  // namespace
}  // namespace whorl
