// Images that are held at 0 outside a support: by the solver, with every method and penalty.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "recon/field_of_view.hpp"
#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/phantom_scan.hpp"
#include "unit/recon/dense_encoding.hpp"
#include "unit/recon/test_scan.hpp"
#include "unit/recon/within_subspace.hpp"
#include "whorl/core/error.hpp"
#include "whorl/prox/l1.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/recon/regularized_least_squares.hpp"
#include "whorl/recon/subspace_basis.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;
using Wide = std::complex<double>;

constexpr Index ny = 9;
constexpr Index nx = 11;
constexpr Index coils = 3;

// No shape that a ball has: it reaches into two corners, and has a hole.
bool is_inside(Index voxel) {
  const Index y = voxel / nx;
  const Index x = voxel % nx;
  return x + y < 14 && !(x == 4 && y == 3);
}

std::shared_ptr<const ReferenceImage> support_image() {
  const Context host;
  auto image = std::make_shared<ReferenceImage>();
  image->source = "support.nii";
  image->values = Array<float>(host, {ny, nx});
  for (Index i = 0; i < ny * nx; ++i) image->values.data()[i] = is_inside(i) ? 1 : 0;
  image->affine.in_scanner = false;
  return image;
}

// Fewer samples than the support has voxels in each coil, so that what the corners take is missing elsewhere.
struct SmallScan {
  std::vector<std::array<double, 2>> points = test::random_positions(60);
  test::DenseMatrix maps = test::random_maps(coils, ny* nx);
  test::DenseMatrix A;
  test::DenseVector d;

  SmallScan() {
    for (Index r = 0; r < ny * nx; ++r) maps.col(r) /= maps.col(r).norm();
    A = test::dense_encoding(points, ny, nx, maps);
    d = test::DenseVector(A.rows());
    for (Index i = 0; i < d.size(); ++i) {
      d[i] = {random_normal(31, static_cast<std::uint64_t>(i)), random_normal(32, static_cast<std::uint64_t>(i))};
    }
  }

  Scan scan() const {
    const Context host;
    auto trajectory = std::make_shared<Trajectory>();
    trajectory->points = Array<double>(host, {std::ssize(points), 2});
    for (std::size_t j = 0; j < points.size(); ++j) {
      trajectory->points.data()[2 * j] = points[j][0];
      trajectory->points.data()[2 * j + 1] = points[j][1];
    }
    Scan scan = test::make_trajectory_scan(std::move(trajectory), {nx, ny, 1});
    scan.coils = coils;
    scan.coil_maps = Array<Complex>(host, {coils, 1, ny, nx});
    for (Index c = 0; c < coils; ++c) {
      for (Index r = 0; r < ny * nx; ++r) scan.coil_maps.data()[c * ny * nx + r] = Complex(maps(c, r));
    }
    scan.frames[0].data = Array<Complex>(host, {coils, std::ssize(points)});
    for (Index i = 0; i < d.size(); ++i) scan.frames[0].data.data()[i] = Complex(d[i]);
    return scan;
  }

  // The columns of the voxels inside.
  static test::DenseMatrix inside(const test::DenseMatrix& all) {
    std::vector<Index> columns;
    for (Index r = 0; r < ny * nx; ++r) {
      if (is_inside(r)) columns.push_back(r);
    }
    return all(Eigen::all, columns);
  }

  // With the voxels inside as the only unknowns.
  test::DenseVector solution(double lambda, const test::DenseMatrix* W) const {
    const test::DenseMatrix AS = inside(A);
    const double s = test::largest_normal_eigenvalue(AS);
    const test::DenseMatrix WS = W == nullptr ? test::DenseMatrix() : inside(*W);
    const test::DenseVector found =
        test::solve_hermitian(test::dense_normal(AS, s, lambda, W == nullptr ? nullptr : &WS), AS.adjoint() * d / s);
    test::DenseVector x = test::DenseVector::Zero(ny * nx);
    Index next = 0;
    for (Index r = 0; r < ny * nx; ++r) {
      if (is_inside(r)) x[r] = found[next++];
    }
    return x;
  }
};

// The unit of lambda is a largest eigenvalue that is found to 0.1 % of it, and an image changes by less than lambda does,
// relative to it. What single precision and the solver's 1e-6 leave is far below.
TEST(Support, MakesTheVoxelsInsideTheOnlyUnknowns) {
  const Context ctx = test::device_context(2);
  const SmallScan small;
  const test::DenseMatrix W = test::dense_differences(ny, nx);
  for (const PenaltyKind penalty : {PenaltyKind::tikhonov, PenaltyKind::smoothness}) {
    ReconOptions options{.prewhiten = false,
                         .coil_maps = CoilMapMethod::file,
                         .cg_sense = {.iterations = 300, .tolerance = 1e-6, .lambda = 0.05, .penalty = penalty},
                         .transform = TransformMethod::exact};
    options.support = ImageSupport::image;
    options.support_image = support_image();
    const test::DenseVector expected =
        small.solution(options.cg_sense.lambda, penalty == PenaltyKind::tikhonov ? nullptr : &W);
    const Reconstruction result = reconstruct(ctx, small.scan(), options);
    double square = 0;
    for (Index r = 0; r < ny * nx; ++r) {
      square += std::norm(Wide(result.images.data()[r]) - expected[r]);
      if (!is_inside(r)) {
        EXPECT_EQ(result.images.data()[r], Complex(0)) << r;
      }
    }
    EXPECT_LT(std::sqrt(square), 1.1e-3 * expected.norm());

    // An image that is only cut afterwards is another one.
    options.support = ImageSupport::none;
    options.support_image = nullptr;
    const Reconstruction everywhere = reconstruct(ctx, small.scan(), options);
    double cut = 0;
    for (Index r = 0; r < ny * nx; ++r) {
      if (is_inside(r)) cut += std::norm(Wide(everywhere.images.data()[r]) - expected[r]);
    }
    EXPECT_GT(std::sqrt(cut), 0.1 * expected.norm());
  }
}

// The terms of regularizers, in double: an encoding that is 0 outside, as maps times the support make it.
class SupportedTerms : public testing::Test {
 protected:
  SupportedTerms() {
    test::DenseMatrix A = small.A;
    auto support = std::make_shared<Array<double>>(ctx, Shape{1, ny, nx});
    for (Index r = 0; r < ny * nx; ++r) {
      support->data()[r] = is_inside(r) ? 1 : 0;
      if (!is_inside(r)) A.col(r).setZero();
    }
    const double s = test::largest_normal_eigenvalue(A);
    model = {Operator<double>(test::DenseOperator(A, {1, ny, nx})), s, {}, support};
    b = right_hand_side(A, s);
  }

  Array<Wide> right_hand_side(const test::DenseMatrix& A, double s) const {
    const test::DenseVector of_data = A.adjoint() * small.d / s;
    Array<Wide> made(ctx, {of_data.size()});
    std::copy(of_data.begin(), of_data.end(), made.data());
    return made;
  }

  // The image, and the least cost.
  std::pair<Array<Wide>, double> solve(const std::vector<Regularizer>& terms, RegularizedSolver solver) const {
    const double unit = largest_magnitude<double>(ctx, b);
    Array<Wide> x = zeros<Wide>(ctx, {1, ny, nx});
    const RegularizedOptions options{.iterations = 6000, .tolerance = 1e-9, .solver = solver};
    const SolverReport report =
        regularized_least_squares<double>(ctx, "test", model, make_penalties<double>({1, 1, ny, nx}, terms, unit),
                                          options, b.ref().reshape(x.shape()), 0, x);
    for (Index r = 0; r < ny * nx; ++r) {
      if (!is_inside(r)) {
        EXPECT_EQ(x.data()[r], Wide(0)) << r;
      }
    }
    return {std::move(x), report.costs.back()};
  }

  const Context ctx;
  const SmallScan small;
  RegularizedModel<double> model;
  Array<Wide> b;
};

// Without the voxels outside there is no support to hold: l1 has no neighbors.
TEST_F(SupportedTerms, OfSingleVoxelsAreThoseOfTheVoxelsInside) {
  const test::DenseMatrix AS = SmallScan::inside(small.A);
  const double unit = largest_magnitude<double>(ctx, b);
  const Array<Wide> right = right_hand_side(AS, model.eigenvalue);
  Array<Wide> expected = zeros<Wide>(ctx, right.shape());
  const RegularizedModel<double> free{Operator<double>(test::DenseOperator(AS, right.shape())), model.eigenvalue, {}};
  regularized_least_squares<double>(ctx, "test", free,
                                    {{std::make_shared<const L1<double>>(right.shape()), 0.1 * unit}},
                                    {.iterations = 6000, .tolerance = 1e-10}, right, 0, expected);
  const Regularizer l1{.kind = RegularizerKind::l1, .weight = 0.1};
  for (const auto solver : {RegularizedSolver::fista, RegularizedSolver::admm, RegularizedSolver::primal_dual}) {
    const auto [x, cost] = solve({l1}, solver);
    double square = 0;
    double all = 0;
    Index next = 0;
    for (Index r = 0; r < ny * nx; ++r) {
      if (!is_inside(r)) continue;
      square += std::norm(x.data()[r] - expected.data()[next]);
      all += std::norm(expected.data()[next++]);
    }
    // Residuals of 1e-9 against the least curvature of some 1e-2 that 180 data of 85 unknowns leave.
    EXPECT_LT(std::sqrt(square / all), 1e-6) << to_string(solver);
  }
}

// Two solvers that have nothing in common but the problem. At an x beside the minimum by e the cost is higher by e^2 at most
// (H has norm 1), and residuals of 1e-9 leave e below 1e-6 as above.
TEST_F(SupportedTerms, OfNeighborsHaveOneMinimum) {
  const std::vector<Regularizer> all{{.kind = RegularizerKind::tv, .weight = 0.05},
                                     {.kind = RegularizerKind::wavelet, .weight = 0.05, .shift = false},
                                     {.kind = RegularizerKind::tgv, .weight = 0.05}};
  for (const Regularizer& one : all) {
    const auto [by_admm, cost] = solve({one}, RegularizedSolver::automatic);
    const auto [by_pdhg, other] = solve({one}, RegularizedSolver::primal_dual);
    EXPECT_LT(test::relative_error(by_admm, by_pdhg), 1e-5) << to_text(one);
    EXPECT_NEAR(cost, other, 1e-6 * std::abs(other)) << to_text(one);
  }
}

TEST_F(SupportedTerms, RefuseFistaWhereItsProximalPointLeavesTheSupport) {
  const Regularizer wavelet{.kind = RegularizerKind::wavelet, .weight = 0.05};
  EXPECT_THROW(solve({wavelet}, RegularizedSolver::fista), ValueError);
  EXPECT_EQ(solver_for(RegularizedSolver::automatic, {wavelet}, true), RegularizedSolver::admm);
  EXPECT_EQ(solver_for(RegularizedSolver::automatic, {wavelet}), RegularizedSolver::fista);
  EXPECT_THROW(solver_for(RegularizedSolver::fista, {wavelet}, true), ValueError);
}

// Every voxel outside is 0 to the bit, and some inside are not.
void expect_held(const Reconstruction& result, const std::string& what) {
  const Shape image{result.images.extent(2), result.images.extent(3)};
  const Array<float> ball = recon::field_of_view_mask(Context(), image);
  double outside = 0;
  double inside = 0;
  for (Index i = 0; i < result.images.size(); ++i) {
    (ball.data()[i % ball.size()] == 0 ? outside : inside) += static_cast<double>(std::norm(result.images.data()[i]));
  }
  EXPECT_EQ(outside, 0) << what;
  EXPECT_GT(inside, 0) << what;
  const auto said = [](const std::string& note) { return note.starts_with("Support: the ellipsoid inscribed"); };
  EXPECT_EQ(std::count_if(result.notes.begin(), result.notes.end(), said), 1) << what;
}

TEST(Support, IsHeldByEveryMethod) {
  const Context ctx = test::device_context(2);
  Scan series = test::make_test_scan(ctx.host(), {.noise = 0.05, .spokes = 40});
  test::add_frame(ctx.host(), series, {.repetition = 1}, 0.5F);
  const auto run = [&](ReconOptions options, const std::string& what) {
    options.prewhiten = false;
    options.support = ImageSupport::ball;
    options.mask = ImageMask::none;
    expect_held(reconstruct(ctx, clone(ctx, series), options), what);
  };
  run({.method = ReconMethod::gridding}, "gridding");
  run({.method = ReconMethod::gridding, .gridding = {.combination = CombinationMethod::matched}}, "matched gridding");
  run({.method = ReconMethod::nlinv, .nlinv = {.steps = 2}}, "nlinv");
  for (const char* term : {"tv:0.01,unit=largest", "wavelet:0.01,unit=largest", "llr:0.01,unit=largest",
                           "l1:0.01,unit=largest", "tgv:0.01,unit=largest", "ictv:0.01,unit=largest"}) {
    ReconOptions options{.coil_maps = CoilMapMethod::walsh, .cg_sense = {.iterations = 3, .lambda = 0}};
    options.regularized.terms = {parse_regularizer(term)};
    run(options, term);
  }
}

TEST(Support, IsHeldByASubspace) {
  const Context ctx = test::device_context(2);
  Scan series = test::make_test_scan(ctx.host(), {.spokes = 20});
  test::add_frame(ctx.host(), series, {.repetition = 1}, 0.5F);
  test::add_frame(ctx.host(), series, {.repetition = 2}, 0.2F);
  Array<Wide> vectors(ctx.host(), {3, 2});
  const std::vector<Wide> columns{1, 1, 0.5, -1, 0.2, 1};
  std::copy(columns.begin(), columns.end(), vectors.data());
  const SubspaceBasis basis = basis_of_vectors(ctx.host(), vectors, 2);
  ReconOptions options{
      .prewhiten = false, .coil_maps = CoilMapMethod::walsh, .cg_sense = {.iterations = 3, .lambda = 1e-3}};
  options.support = ImageSupport::ball;
  expect_held(reconstruct(ctx, clone(ctx.host(), series), test::within(basis, options)), "subspace");
  options.regularized.terms = {parse_regularizer("tv:0.01,unit=largest")};
  expect_held(reconstruct(ctx, clone(ctx.host(), series), test::within(basis, options)), "subspace with tv");
}

// What NLINV leaves of the data is their noise, with a support that holds the head as without one: 5 % of a mean sample.
TEST(Support, LeavesNlinvItsFit) {
  const Context ctx = test::device_context(2);
  const Scan scan = test::make_test_scan(ctx.host());
  double misfits[2] = {};
  for (const bool held : {false, true}) {
    ReconOptions options{.method = ReconMethod::nlinv, .prewhiten = false};
    if (held) options.support = ImageSupport::ball;
    misfits[held ? 1 : 0] = reconstruct(ctx, clone(ctx, scan), options).reports.front().residuals.back();
  }
  EXPECT_LT(misfits[1], 1.1 * misfits[0]);
}

TEST(Support, NeedsOneImageAndNoOther) {
  const Context ctx;
  const SmallScan small;
  ReconOptions options{.prewhiten = false, .coil_maps = CoilMapMethod::file};
  options.support = ImageSupport::image;
  EXPECT_THROW(reconstruct(ctx, small.scan(), options), ValueError);
  options.support = ImageSupport::ball;
  options.support_image = support_image();
  EXPECT_THROW(reconstruct(ctx, small.scan(), options), ValueError);
  auto empty = std::make_shared<ReferenceImage>();
  empty->values = zeros<float>(ctx, {ny, nx});
  empty->affine.in_scanner = false;
  options.support = ImageSupport::image;
  options.support_image = empty;
  EXPECT_THROW(reconstruct(ctx, small.scan(), options), ValueError);
}

}  // namespace
}  // namespace whorl
