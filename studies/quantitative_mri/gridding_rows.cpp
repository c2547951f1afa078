// Gridding: bilinear, on the host, and with a Kaiser-Bessel window, on the device.
#include "recon/field_of_view.hpp"
#include "recon/gridding_scale.hpp"
#include "studies/quantitative_mri/bilinear_gridding.hpp"
#include "studies/quantitative_mri/rows.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/nufft.hpp"

namespace whorl::studies::quantitative_mri {

namespace {

using Complex = std::complex<float>;

// Gridding leaves the scale open, and copies of the object lie in the corners of the image, where a trajectory of steps
// of 1/FOV resolves nothing. Both are set as `whorl recon` does.
void finish(const Context& ctx, const Nufft<float>& nufft, const Trajectory& trajectory, ArrayRef<const float> weights,
            ArrayRef<const Complex> data, ArrayRef<Complex> image) {
  const ArrayRef<Complex> images = image.reshape(nufft.domain());
  const recon::GriddingWeights all = recon::gridding_weights(ctx, trajectory, image.shape(), clone(ctx, weights));
  axpby<float>(ctx, 0, images, recon::gridding_scale(ctx, nufft, all, data, images), images);
  recon::mask_field_of_view(ctx, images);
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
    finish(ctx, nufft, scan.trajectory, weights, data, image);
    add_image<float>(trial, bilinear, image);

    const double window_seconds = seconds_of(ctx, [&] {
      multiply_weights<float>(ctx, weights, data, weighted);
      nufft.adjoint(ctx, weighted, image.ref().reshape(nufft.domain()));
    });
    finish(ctx, nufft, scan.trajectory, weights, data, image);
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
