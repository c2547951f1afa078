// Least squares with exact sums, by every step of the ladder and by the library.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "studies/quantitative_mri/convolution.hpp"
#include "studies/quantitative_mri/exact_sums.hpp"
#include "studies/quantitative_mri/rows.hpp"
#include "studies/quantitative_mri/solver.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/dft.hpp"

namespace whorl::studies::quantitative_mri {

namespace {

// Terms that the library's transform sums at most: a minute or two.
double most_transform_terms(const Device& device) { return device.kind == DeviceKind::cpu ? 2e11 : 2e14; }

constexpr const char* library_name = "least squares, the library's exact sums";
std::string row_name(const std::string& step) { return "least squares, " + step; }

Index cube(Index n) { return n * n * n; }

template <class Real>
Array<Real> planes_of(const Context& ctx, ArrayRef<const double> points) {
  Array<Real> planes(ctx.host(), {3, points.extent(0)});
  for (Index j = 0; j < points.extent(0); ++j) {
    for (Index axis = 0; axis < 3; ++axis) {
      planes.data()[axis * points.extent(0) + j] = static_cast<Real>(points.view<2>()(j, axis));
    }
  }
  return clone(ctx, planes.ref());
}

/// The voxels that are summed: all, or a part in the middle of the grid.
struct Range {
  Index first;
  Index count;
};

Range range_of(Index extent, Index samples, double most_terms, bool all) {
  const Index voxels = cube(extent);
  const auto most = static_cast<Index>(most_terms / static_cast<double>(samples));
  if (all || voxels <= most) return {0, voxels};
  const Index count = std::max<Index>(most, 1);
  return {(voxels - count) / 2, count};
}

template <class Real>
struct Timed {
  Array<std::complex<Real>> sums;  ///< of the voxels of the range
  double seconds = 0;              ///< of all voxels, extrapolated where that is more
};

template <class Real>
Timed<Real> timed(const Context& ctx, const SumStep<Real>& step, Sums<Real> sums, const Range& range) {
  sums.first = range.first;
  Timed<Real> result{Array<std::complex<Real>>(ctx, {range.count})};
  result.seconds = seconds_of(ctx, [&] { step.run(ctx, sums, result.sums); });
  result.seconds *= static_cast<double>(cube(sums.extent)) / static_cast<double>(range.count);
  return result;
}

void set_terms(const Trial& trial, Row& row) {
  const auto samples = static_cast<double>(trial.scan.trajectory.samples());
  row.q_terms = samples * static_cast<double>(cube(impulse_extent(trial.scan.size)));
  row.adjoint_terms = samples * trial.voxels();
}

/// Solves for every set of data with the Q that a row has, and fills the row.
template <class Real>
void finish(const Trial& trial, double eigenvalue, ArrayRef<const std::complex<Real>> impulse,
            const std::function<Timed<Real>(ArrayRef<const std::complex<double>>)>& adjoint, Row& row) {
  const NormalFunction<Real> normal = convolution_with<Real>(trial.ctx, impulse, trial.scan.size);
  for (const Array<std::complex<double>>& data : trial.scan.data) {
    Timed<Real> b = adjoint(data);
    b.sums.reshape(trial.image());
    axpby<Real>(trial.ctx, 0, b.sums, 1 / std::sqrt(trial.voxels()), b.sums);
    Array<std::complex<Real>> x;
    const double solver = seconds_of(trial.ctx, [&] {
      x = solve<Real>(trial, {normal, eigenvalue, tikhonov_lambda}, b.sums);
    });
    if (row.quality.empty()) {
      row.seconds.adjoint = b.seconds;
      row.seconds.solver = solver;
    }
    add_image<Real>(trial, row, x);
  }
}

// step: least squares, the library's exact sums
Array<std::complex<float>> exact_adjoint(const Context& ctx, ArrayRef<const double> points, Index extent,
                                         ArrayRef<const std::complex<float>> values) {
  const Dft<float> dft(ctx, points, {extent, extent, extent}, 1);
  Array<std::complex<float>> image(ctx, dft.domain());
  dft.adjoint(ctx, values.reshape(dft.range()), image);
  // The sums alone, without the transform's scale.
  axpby<float>(ctx, 0, image, std::sqrt(static_cast<double>(cube(extent))), image);
  image.reshape({extent, extent, extent});
  return image;
}
// end of step

Row library_row(const Trial& trial, const NufftRows& nufft) {
  using Complex = std::complex<float>;
  const Context& ctx = trial.ctx;
  const SimulatedScan& scan = trial.scan;
  Row row{.name = library_name};
  const Index lags = impulse_extent(scan.size);
  set_terms(trial, row);
  if (row.q_terms > most_transform_terms(ctx.device()) && !trial.options.full) {
    row.seconds.remark = fmt::format("left out: {:.1e} terms; --full sums them", row.q_terms);
    return row;
  }
  Array<Complex> ones(ctx, {scan.trajectory.samples()});
  fill<Complex>(ctx, ones, 1);
  Array<Complex> impulse;
  row.seconds.q = seconds_of(ctx, [&] { impulse = exact_adjoint(ctx, scan.trajectory.points, lags, ones); });
  finish<float>(
      trial, nufft.eigenvalue, impulse,
      [&](ArrayRef<const std::complex<double>> data) {
        const Array<Complex> values = to_device<float>(ctx, data);
        Timed<float> b;
        b.seconds = seconds_of(ctx, [&] { b.sums = exact_adjoint(ctx, scan.trajectory.points, scan.size, values); });
        return b;
      },
      row);
  row.seconds.total = row.seconds.adjoint.value_or(0) + row.seconds.solver.value_or(0);
  return row;
}

}  // namespace

template <class Real>
Row exact_row(const Trial& trial, const Context& ctx, const SumStep<Real>& step, const NufftRows& nufft) {
  using Complex = std::complex<Real>;
  const SimulatedScan& scan = trial.scan;
  Row row{.name = row_name(step.name), .published = step.published, .baseline = step.baseline};
  const Index samples = scan.trajectory.samples();
  const Array<Real> points = planes_of<Real>(ctx, scan.trajectory.points);
  Array<Complex> ones(ctx, {samples});
  fill<Complex>(ctx, ones, 1);

  const Index lags = impulse_extent(scan.size);
  set_terms(trial, row);
  const Range q_range = range_of(lags, samples, step.most_terms, trial.options.full);
  const Range image_range = range_of(scan.size, samples, step.most_terms, trial.options.full);
  const auto adjoint = [&](ArrayRef<const std::complex<double>> data) {
    const Array<Complex> values = to_device<Real>(ctx, data);
    return timed<Real>(ctx, step, {points, values, scan.size}, image_range);
  };
  if (step.choose) step.choose(ctx, {points, ones, lags});
  Timed<Real> q = timed<Real>(ctx, step, {points, ones, lags}, q_range);
  row.seconds.q = q.seconds;
  if (q_range.count == cube(lags)) {
    q.sums.reshape({lags, lags, lags});
    // The solver runs on the trial's device, wherever the sums came from.
    const Array<Complex> impulse = clone(trial.ctx, to_host(ctx, q.sums));
    finish<Real>(
        trial, nufft.eigenvalue, impulse,
        [&](ArrayRef<const std::complex<double>> data) {
          Timed<Real> b = adjoint(data);
          if (!(ctx.device() == trial.ctx.device())) b.sums = clone(trial.ctx, b.sums.ref());
          return b;
        },
        row);
    if (step.remark) row.seconds.remark = step.remark();
  } else {
    row.seconds.adjoint = adjoint(scan.data.front()).seconds;
    row.seconds.solver = (sizeof(Real) == 8 ? nufft.double_precision : nufft.single_precision).seconds.solver;
    row.seconds.remark =
        fmt::format("extrapolated: Q from {:.3g} %, F^H d from {:.3g} % of the voxels; the NUFFT's solver",
                    100 * static_cast<double>(q_range.count) / static_cast<double>(cube(lags)),
                    100 * static_cast<double>(image_range.count) / trial.voxels());
  }
  row.seconds.total = row.seconds.adjoint.value_or(0) + row.seconds.solver.value_or(0);
  return row;
}

template Row exact_row(const Trial&, const Context&, const SumStep<float>&, const NufftRows&);
template Row exact_row(const Trial&, const Context&, const SumStep<double>&, const NufftRows&);

std::vector<ExactRow> exact_rows(const Trial& trial) {
  std::vector<ExactRow> rows;
  const auto add = [&]<class Real>(const Context& ctx, const SumStep<Real>& step) {
    rows.push_back({row_name(step.name),
                    [&trial, ctx, step](const NufftRows& nufft) { return exact_row<Real>(trial, ctx, step, nufft); }});
  };
  const Context host = trial.ctx.host();
  constexpr double vector_terms = 4e9;  // some seconds, as 2e8 of a scalar loop
  constexpr double gpu_terms = 5e12;    // all of 128^3 voxels
  const SumStep<double> double_loop{.name = "CPU, double, scalar loop", .run = sums_on_host<double>};
  const SumStep<float> float_loop{.name = "CPU, single, scalar loop", .run = sums_on_host<float>};
  const SumStep<double> double_vectors{
      .name = "CPU, double",
      .run = vectors_on_host<double>,
      .published = published_row("4009.0 0.3 518.0 0.4 1.59 519.59", published_psnr, published_error),
      .most_terms = vector_terms};
  const SumStep<float> float_vectors{.name = "CPU, single",
                                     .run = vectors_on_host<float>,
                                     .published = published_baseline,
                                     .baseline = true,
                                     .most_terms = vector_terms};
  add(host, double_loop);
  add(host, float_loop);
  add(host, double_vectors);
  add(host, float_vectors);
  if (trial.ctx.device().kind == DeviceKind::cuda) {
    for (SumStep<float> step : gpu_steps()) {
      step.most_terms = gpu_terms;
      add(trial.ctx, step);
    }
  }
  rows.push_back({library_name, [&trial](const NufftRows& nufft) { return library_row(trial, nufft); }});
  return rows;
}

}  // namespace whorl::studies::quantitative_mri
