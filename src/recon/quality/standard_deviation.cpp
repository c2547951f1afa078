#include "whorl/recon/standard_deviation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "calib/median.hpp"
#include "recon/quality/noise_streams.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/add_products.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/recon/option_tables.hpp"

namespace whorl {

namespace {

// The models of several images at once, and what is known of their solves.
template <class Real>
class Batch {
 public:
  using Complex = std::complex<Real>;

  Batch(const RegularizedModel<Real>& model, Index count, const LeastSquaresOptions& options, std::string title,
        StandardDeviation<Real>& result)
      : model_(repeated(model, count)), options_(options), title_(std::move(title)), result_(result) {}

  /// x = H^-1 b
  void solve(const Context& ctx, ArrayRef<const Complex> b, ArrayRef<Complex> x) {
    fill<Complex>(ctx, x, 0);
    const SolverReport report = solve_regularized_normal<Real>(ctx, title_, model_, options_, b, x);
    result_.iterations = std::max(result_.iterations, report.iterations);
    result_.residual = std::max(result_.residual, report.residuals.back());
  }

  const LinearOperator<Real>& encoding() const { return *model_.encoding; }

 private:
  RegularizedModel<Real> model_;
  LeastSquaresOptions options_;
  std::string title_;
  StandardDeviation<Real>& result_;
};

// Adds |x|^2 of the images of noise of the streams from `first` on, times s^2.
template <class Real>
void add_replicas(const Context& ctx, const LinearOperator<Real>& A, Batch<Real>& batch, std::uint64_t seed,
                  Index first, ArrayRef<double> squares) {
  using Complex = std::complex<Real>;
  const Array<Complex> b = recon::adjoints_of_noise<Real>(ctx, A, batch.encoding().domain()[0], seed, first);
  Array<Complex> x(ctx, b.shape());
  batch.solve(ctx, b, x);
  add_products<Real>(ctx, x, x, squares);
}

// Adds Re(conj(z) C z) and |C z|^2 of the probes from `first` on, C times s^2.
template <class Real>
void add_probes(const Context& ctx, Batch<Real>& batch, std::uint64_t seed, Index first, ArrayRef<double> products,
                ArrayRef<double> squares) {
  using Complex = std::complex<Real>;
  const Shape& shape = batch.encoding().domain();
  Array<Complex> z(ctx, shape);
  for (Index i = 0; i < shape[0]; ++i) {
    recon::fill_quarter_turns<Real>(ctx, z.slice(i), seed, static_cast<std::uint64_t>(first + i));
  }
  Array<Complex> x(ctx, shape);
  batch.solve(ctx, z, x);
  Array<Complex> b(ctx, shape);
  batch.encoding().normal(ctx, x, b);
  batch.solve(ctx, b, x);
  add_products<Real>(ctx, z, x, products);
  add_products<Real>(ctx, x, x, squares);
}

// Standard error of the root of a variance that was estimated by `count` probes, relative to it.
double probe_error(double variance, double mean_square, int count) {
  if (variance <= 0) return std::numeric_limits<double>::infinity();
  return 0.5 * std::sqrt(std::max(0.0, mean_square - variance * variance) / (2.0 * count)) / variance;
}

template <class Real>
void finish_replicas(ArrayRef<const double> squares, double eigenvalue, int count, StandardDeviation<Real>& result) {
  const double scale = 1 / (eigenvalue * eigenvalue * count);
  std::transform(squares.span().begin(), squares.span().end(), result.values.span().begin(),
                 [&](double sum) { return static_cast<Real>(std::sqrt(scale * sum)); });
  result.relative_error = 0.5 / std::sqrt(static_cast<double>(count));
}

template <class Real>
void finish_probes(ArrayRef<const double> products, ArrayRef<const double> squares, double eigenvalue, int count,
                   StandardDeviation<Real>& result) {
  const double s2 = eigenvalue * eigenvalue;
  std::vector<double> errors;
  for (Index i = 0; i < products.size(); ++i) {
    const double variance = products.data()[i] / (s2 * count);
    if (variance < 0) ++result.clipped;
    result.values.data()[i] = static_cast<Real>(std::sqrt(std::max(variance, 0.0)));
    const double mean_square = squares.data()[i] / (s2 * s2 * count);
    // Voxels that no coil sees have no noise, and no error.
    if (mean_square > 0) errors.push_back(probe_error(variance, mean_square, count));
  }
  result.relative_error = errors.empty() ? 0 : median(std::move(errors));
}

}  // namespace

void check_standard_deviation(const StandardDeviationOptions& options) {
  check_options(options);
  const int least = options.method == StandardDeviationMethod::replica ? 2 : 1;
  if (options.count < least) {
    throw ValueError(
        fmt::format("standard deviation: {} replicas or probes, expected at least {}", options.count, least));
  }
}

template <Precision Real>
StandardDeviation<Real> standard_deviation(const Context& ctx, const std::string& title,
                                           const RegularizedModel<Real>& model, double lambda,
                                           const StandardDeviationOptions& options) {
  check_standard_deviation(options);
  const bool probing = options.method == StandardDeviationMethod::probe;
  const Shape& shape = model.encoding->domain();
  StandardDeviation<Real> result;
  result.values = Array<Real>(ctx.host(), shape);
  Array<double> products = zeros<double>(ctx, probing ? shape : Shape{0});
  Array<double> squares = zeros<double>(ctx, shape);
  ProgressStage stage(ctx, title, options.count);
  for (Index first = 0; first < options.count; first += options.batch) {
    const Index count = std::min<Index>(options.batch, options.count - first);
    Batch<Real> batch(model, count,
                      {.iterations = options.iterations, .tolerance = options.tolerance, .lambda = lambda},
                      fmt::format("{} {} to {}", probing ? "probes" : "replicas", first + 1, first + count), result);
    if (probing) {
      add_probes<Real>(ctx, batch, options.seed, first, products, squares);
    } else {
      add_replicas<Real>(ctx, *model.encoding, batch, options.seed, first, squares);
    }
    stage.advance(count);
  }
  const Array<double> square_sums = to_host<double>(ctx, squares);
  if (probing) {
    finish_probes<Real>(to_host<double>(ctx, products), square_sums, model.eigenvalue, options.count, result);
  } else {
    finish_replicas<Real>(square_sums, model.eigenvalue, options.count, result);
  }
  return result;
}

template StandardDeviation<float> standard_deviation(const Context&, const std::string&, const RegularizedModel<float>&,
                                                     double, const StandardDeviationOptions&);
template StandardDeviation<double> standard_deviation(const Context&, const std::string&,
                                                      const RegularizedModel<double>&, double,
                                                      const StandardDeviationOptions&);

}  // namespace whorl
