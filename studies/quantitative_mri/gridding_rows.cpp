// Gridding: bilinear, on the host, and with a Kaiser-Bessel window, on the device.
#include "recon/field_of_view.hpp"
#include "recon/gridding/gridding_scale.hpp"
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

namespace {

/// Gridding of every set of data; `grid` fills an image and returns its seconds.
using Grid =
    std::function<double(const Array<std::complex<double>>& samples, ArrayRef<Complex> data, ArrayRef<Complex> image)>;

class GriddingRow {
 public:
  explicit GriddingRow(const Trial& trial)
      : trial_(trial), nufft_(trial.ctx, trial.scan.trajectory.points, trial.image(), 1, {.tolerance = 1e-4}) {
    Array<float> host_weights(trial.ctx.host(), trial.scan.weights.shape());
    for (Index j = 0; j < host_weights.size(); ++j) {
      host_weights.data()[j] = static_cast<float>(trial.scan.weights.data()[j]);
    }
    weights_ = clone(trial.ctx, host_weights.ref());
  }

  const Nufft<float>& nufft() const { return nufft_; }
  const Array<float>& weights() const { return weights_; }

  void fill_row(const Grid& grid, Row& row) const {
    for (const Array<std::complex<double>>& samples : trial_.scan.data) {
      Array<Complex> data = to_device<float>(trial_.ctx, samples);
      data.reshape(nufft_.range());
      Array<Complex> image(trial_.ctx, trial_.image());
      row.seconds.total = grid(samples, data, image);
      finish(trial_.ctx, nufft_, trial_.scan.trajectory, weights_, data, image);
      add_image<float>(trial_, row, image);
    }
  }

 private:
  const Trial& trial_;
  Nufft<float> nufft_;
  Array<float> weights_;
};

}  // namespace

Row bilinear_row(const Trial& trial) {
  Row row{.name = "bilinear gridding, FFT",
          .published = {.psnr_db = published_gridding_psnr,
                        .percent_error = published_gridding_error,
                        .total_minutes = cited_number("quantitative_mri", "0.39")}};
  const Context host = trial.ctx.host();
  const auto grid = [&](const Array<std::complex<double>>& samples, ArrayRef<Complex> /*data*/,
                        ArrayRef<Complex> image) {
    Array<std::complex<double>> simple;
    const double seconds = seconds_of(host, [&] {
      simple = bilinear_gridding(host, trial.scan.trajectory.points, trial.scan.weights, samples, trial.scan.size);
    });
    copy<Complex>(trial.ctx, to_device<float>(trial.ctx, simple), image);
    return seconds;
  };
  GriddingRow(trial).fill_row(grid, row);
  row.seconds.remark = "on the host";
  return row;
}

// step: Kaiser-Bessel gridding
Row kaiser_bessel_row(const Trial& trial) {
  const GriddingRow gridding(trial);
  Row row{.name = "Kaiser-Bessel gridding"};
  const Nufft<float>& nufft = gridding.nufft();
  const auto grid = [&](const Array<std::complex<double>>& /*samples*/, ArrayRef<Complex> data,
                        ArrayRef<Complex> image) {
    Array<Complex> weighted(trial.ctx, nufft.range());
    multiply_weights<float>(trial.ctx, gridding.weights(), data, weighted);  // the first call has to prepare
    return seconds_of(trial.ctx, [&] {
      multiply_weights<float>(trial.ctx, gridding.weights(), data, weighted);
      nufft.adjoint(trial.ctx, weighted, image.reshape(nufft.domain()));
    });
  };
  gridding.fill_row(grid, row);
  return row;
}
// end of step

}  // namespace whorl::studies::quantitative_mri
