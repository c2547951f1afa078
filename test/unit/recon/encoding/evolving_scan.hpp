// Scans of signals that evolve during the readout, by exact sums, for tests.
#pragma once

#include <cmath>
#include <memory>
#include <string>

#include "support/phantom_scan.hpp"
#include "whorl/op/exact_signal.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/scan/affine.hpp"
#include "whorl/trajectory/sample_times.hpp"

namespace whorl::test {

using Complex = std::complex<double>;

inline std::shared_ptr<const ReferenceImage> map_image(const Context& ctx, const std::string& name,
                                                       ArrayRef<const float> values,
                                                       const std::array<Index, 3>& matrix) {
  auto image = std::make_shared<ReferenceImage>();
  image->source = name;
  image->values = clone(ctx, values);
  Geometry place;
  place.field_of_view_mm = {static_cast<double>(matrix[0]), static_cast<double>(matrix[1]), 1};
  image->affine = voxel_affine(place, matrix);
  return image;
}

// The exact samples of an image through coil maps, as a scan with these maps.
inline Scan scan_of(const Context& ctx, ArrayRef<const Complex> image, ArrayRef<const Complex> maps,
                    const ExponentialSignal& signal, std::shared_ptr<const Trajectory> trajectory, double dwell_us,
                    double start_us) {
  const std::array<Index, 3> matrix{image.extent(1), image.extent(0), 1};
  Scan scan = make_trajectory_scan(trajectory, matrix);
  scan.coils = maps.extent(0);
  scan.dwell_us = dwell_us;
  scan.readout_start_us = start_us;
  ScanFrame& frame = scan.frames.front();
  frame.geometry.field_of_view_mm = {static_cast<double>(matrix[0]), static_cast<double>(matrix[1]), 1};
  const auto times = sample_times(ctx, *trajectory, start_us, dwell_us);
  const auto samples = exact_signal(ctx, maps, image, signal, trajectory->points, times);
  frame.data = Array<std::complex<float>>(ctx, samples.shape());
  for (Index i = 0; i < samples.size(); ++i) frame.data.data()[i] = std::complex<float>(samples.data()[i]);
  scan.coil_maps = Array<std::complex<float>>(ctx, {maps.extent(0), 1, matrix[1], matrix[0]});
  for (Index i = 0; i < maps.size(); ++i) scan.coil_maps.data()[i] = std::complex<float>(maps.data()[i]);
  return scan;
}

template <class T>
Array<Complex> to_double(const Context& ctx, const Array<T>& values) {
  Array<Complex> result(ctx, values.shape());
  for (Index i = 0; i < values.size(); ++i) result.data()[i] = Complex(values.data()[i]);
  return result;
}

// A Gaussian of sigma 1.2 pixels along both axes: what lies beyond |k| = 1/2, where spirals do not sample, is below 1e-3.
inline Array<Complex> smoothed(const Context& ctx, const Array<Complex>& image) {
  const auto along = [&](const Array<Complex>& from, Index dy, Index dx) {
    auto to = zeros<Complex>(ctx, from.shape());
    double sum = 0;
    for (Index d = -6; d <= 6; ++d) sum += std::exp(-double(d * d) / 2.88);
    for (Index y = 0; y < from.extent(0); ++y) {
      for (Index x = 0; x < from.extent(1); ++x) {
        for (Index d = -6; d <= 6; ++d) {
          const Index v = y + d * dy;
          const Index u = x + d * dx;
          if (v < 0 || u < 0 || v >= from.extent(0) || u >= from.extent(1)) continue;
          to.view<2>()(y, x) += std::exp(-double(d * d) / 2.88) / sum * from.view<2>()(v, u);
        }
      }
    }
    return to;
  };
  return along(along(image, 1, 0), 0, 1);
}

// ||a - b|| / ||b|| over the pixels of the object.
inline double image_error(const Reconstruction& result, ArrayRef<const Complex> truth) {
  double difference = 0;
  double total = 0;
  for (Index i = 0; i < truth.size(); ++i) {
    if (truth.data()[i] == Complex(0)) continue;
    difference += std::norm(Complex(result.images.data()[i]) - truth.data()[i]);
    total += std::norm(truth.data()[i]);
  }
  return std::sqrt(difference / total);
}

}  // namespace whorl::test
