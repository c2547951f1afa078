// Gridding: bilinear, on the host, and with a Kaiser-Bessel window, on the device.
#include "studies/quantitative_mri/bilinear_gridding.hpp"
#include "studies/quantitative_mri/rows.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/nufft.hpp"

namespace whorl::studies::quantitative_mri {

namespace {

using Complex = std::complex<float>;

// Gridding leaves the scale open. It is set as `whorl recon` does: s minimizes |s F x - d| in the norm weighted by the
// density weights, s = <F x, W d> / <F x, W F x>.
void scale_to_data(const Context& ctx, const Nufft<float>& nufft, ArrayRef<const float> weights,
                   ArrayRef<const Complex> weighted_data, ArrayRef<Complex> image) {
  Array<Complex> predicted(ctx, nufft.range());
  Array<Complex> weighted(ctx, nufft.range());
  nufft.forward(ctx, image.reshape(nufft.domain()), predicted);
  multiply_weights<float>(ctx, weights, predicted, weighted);
  const std::complex<double> overlap = dot<float>(ctx, predicted, weighted_data);
  const double energy = dot<float>(ctx, predicted, weighted).real();
  axpby<float>(ctx, 0, image, overlap / energy, image);
}

}  // namespace

std::vector<Row> gridding_rows(const Trial& trial) {
  const Context& ctx = trial.ctx;
  const SimulatedScan& scan = trial.scan;
  Row bilinear{.name = "bilinear gridding, FFT", .published = {.snr_db = 16.8}};
  Row kaiser_bessel{.name = "Kaiser-Bessel gridding"};
  const Nufft<float> nufft(ctx, scan.trajectory.points, trial.image(), 1, {.tolerance = 1e-4});
  Array<float> host_weights(ctx.host(), scan.weights.shape());
  for (Index j = 0; j < host_weights.size(); ++j) host_weights.data()[j] = static_cast<float>(scan.weights.data()[j]);
  const Array<float> weights = clone(ctx, host_weights.ref());
  for (const Array<std::complex<double>>& samples : scan.data) {
    Array<Complex> data = to_device<float>(ctx, samples);
    data.reshape(nufft.range());
    Array<Complex> weighted(ctx, nufft.range());
    multiply_weights<float>(ctx, weights, data, weighted);

    Array<std::complex<double>> simple;
    const double bilinear_seconds = seconds_of(ctx.host(), [&] {
      simple = bilinear_gridding(ctx.host(), scan.trajectory.points, scan.weights, samples, scan.size);
    });
    Array<Complex> image = to_device<float>(ctx, simple);
    scale_to_data(ctx, nufft, weights, weighted, image);
    add_image<float>(trial, bilinear, image);

    const double window_seconds = seconds_of(ctx, [&] {
      multiply_weights<float>(ctx, weights, data, weighted);
      nufft.adjoint(ctx, weighted, image.ref().reshape(nufft.domain()));
    });
    scale_to_data(ctx, nufft, weights, weighted, image);
    add_image<float>(trial, kaiser_bessel, image);

    bilinear.seconds.total = bilinear_seconds;
    kaiser_bessel.seconds.total = window_seconds;
  }
  bilinear.seconds.remark = "on the host; published: less than a minute";
  std::vector<Row> rows;
  rows.push_back(std::move(bilinear));
  rows.push_back(std::move(kaiser_bessel));
  return rows;
}

}  // namespace whorl::studies::quantitative_mri
