// Least squares with the NUFFT: F^H d by it, F^H F by a convolution whose spectrum it gives.
#include <array>
#include <string>

#include "studies/quantitative_mri/rows.hpp"
#include "studies/quantitative_mri/solver.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/weighted_differences.hpp"
#include "whorl/prior/edge_weights.hpp"
#include "whorl/solver/largest_eigenvalue.hpp"

namespace whorl::studies::quantitative_mri {

namespace {

// step: least squares, NUFFT, double; least squares, NUFFT, single
// The normal operator's errors must stay below lambda, or CG meets eigenvalues below zero. In double they stay so far
// below that 60 steps, which repeat them many times, end at the same image as the exact sums.
template <class Real>
constexpr double tolerance = sizeof(Real) == 4 ? 2e-6 : 1e-12;

template <class Real>
NormalFunction<Real> normal_of(const Nufft<Real>& nufft) {
  using Complex = std::complex<Real>;
  return [&nufft](const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) {
    nufft.normal(ctx, x.reshape(nufft.domain()), z.reshape(nufft.domain()));
  };
}
// end of step

// step: least squares, NUFFT, double; least squares, NUFFT, single
// Adds the image from each set of data; the times are those of the first.
template <class Real>
void reconstruct(const Trial& trial, const Nufft<Real>& nufft, const System<Real>& system, Row& row) {
  using Complex = std::complex<Real>;
  for (const Array<std::complex<double>>& samples : trial.scan.data) {
    Array<Complex> data = to_device<Real>(trial.ctx, samples);
    data.reshape(nufft.range());
    Array<Complex> b(trial.ctx, trial.image());
    const double adjoint =
        seconds_of(trial.ctx, [&] { nufft.adjoint(trial.ctx, data, b.ref().reshape(nufft.domain())); });
    Array<Complex> x;
    const double solver = seconds_of(trial.ctx, [&] { x = solve<Real>(trial, system, b); });
    if (row.quality.empty()) {
      row.seconds.adjoint = adjoint;
      row.seconds.solver = solver;
      row.seconds.total = adjoint + solver;
    }
    add_image<Real>(trial, row, x);
  }
}

template <class Real>
std::unique_ptr<Nufft<Real>> plan(const Trial& trial, Row& row) {
  std::unique_ptr<Nufft<Real>> nufft;
  row.seconds.q = seconds_of(trial.ctx, [&] {
    nufft = std::make_unique<Nufft<Real>>(
        trial.ctx, trial.scan.trajectory.points, trial.image(), 1,
        NufftOptions{.tolerance = tolerance<Real>, .oversampling = 2, .normal = NormalMethod::toeplitz});
  });
  row.seconds.remark = "Q with the plan";
  return nufft;
}
// end of step

}  // namespace

// step: least squares, NUFFT, single, prior
NufftRows nufft_rows(const Trial& trial, const std::string& only) {
  const Context& ctx = trial.ctx;
  const auto wanted = [&](const Row& row) { return only.empty() || row.name == only; };
  NufftRows rows;
  rows.single_precision = {.name = "least squares, NUFFT, single"};
  rows.prior = {.name = "least squares, NUFFT, single, prior"};
  rows.double_precision = {.name = "least squares, NUFFT, double"};
  {
    const auto nufft = plan<float>(trial, rows.single_precision);
    const NormalFunction<float> normal = normal_of(*nufft);
    rows.eigenvalue = largest_eigenvalue<float>(ctx, normal, trial.image()).value;
    if (wanted(rows.single_precision)) {
      reconstruct<float>(trial, *nufft, {normal, rows.eigenvalue, tikhonov_lambda}, rows.single_precision);
    }
    if (wanted(rows.prior)) {
      const std::array<ArrayRef<const float>, 1> references{trial.scan.reference.ref()};
      EdgeWeights edges = edge_weights(ctx.host(), references);
      const WeightedDifferences<float> differences(ctx, trial.image(), std::move(edges.weights));
      rows.prior.seconds.q = rows.single_precision.seconds.q;
      reconstruct<float>(trial, *nufft, {normal, rows.eigenvalue, prior_lambda, &differences}, rows.prior);
      rows.prior.seconds.remark = rows.single_precision.seconds.remark;
    }
  }
  if (!wanted(rows.double_precision)) return rows;
  const auto nufft = plan<double>(trial, rows.double_precision);
  reconstruct<double>(trial, *nufft, {normal_of(*nufft), rows.eigenvalue, tikhonov_lambda}, rows.double_precision);
  return rows;
}
// end of step

Row nufft_double_row(const Trial& trial) {
  Row row{.name = "least squares, NUFFT, double"};
  const auto nufft = plan<double>(trial, row);
  const NormalFunction<double> normal = normal_of(*nufft);
  const double eigenvalue = largest_eigenvalue<double>(trial.ctx, normal, trial.image()).value;
  reconstruct<double>(trial, *nufft, {normal, eigenvalue, tikhonov_lambda}, row);
  return row;
}

}  // namespace whorl::studies::quantitative_mri
