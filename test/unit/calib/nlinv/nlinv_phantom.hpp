// Scans without a calibration region, and how far an image of them is from the truth.
#pragma once

#include <cmath>
#include <memory>

#include "support/phantom_scan.hpp"
#include "whorl/calib/combine.hpp"
#include "whorl/calib/nlinv.hpp"
#include "whorl/measure/scaled_error.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl::test {

struct ImageQuality {
  double error = 0;      ///< in the pixels that lie in the object
  double deviation = 0;  ///< of what changes from pixel to pixel, where the object is flat: speckle
  double scale = 0;      ///< that of the image: 1 where its values are the object's
};

/// Quality of the magnitude of an image against |object| times the root of the coils' sum of squares: the part of both that is
/// determined. The deviation is the standard deviation of the difference from its mean over 3 x 3 pixels, over the mean of
/// the object there: in pixels around which 5 x 5 are alike.
inline ImageQuality image_quality(const Context& ctx, ArrayRef<const std::complex<float>> image, const Phantom& object,
                                  Index coils) {
  const Context host = ctx.host();
  const Index n = image.extent(-1);
  const std::array<Index, 3> matrix{n, image.extent(-2), 1};
  const Array<float> truth = rasterize<float>(host, object, matrix, 8);
  const auto maps = phantom_coil_maps<float>(host, make_phantom_coils(host, matrix, coils));
  const Array<float> root = root_sum_of_squares<float>(host, maps);
  Array<float> expected(host, truth.shape());
  for (Index i = 0; i < truth.size(); ++i) expected.data()[i] = truth.data()[i] * root.data()[i];
  const Array<std::complex<float>> here = to_host<const std::complex<float>>(ctx, image);
  const Array<float> found = magnitude<float>(host, here);
  const auto error = scaled_error<float>(host, found.ref().reshape(truth.shape()), expected);
  ImageQuality quality{.error = error.nrmse, .scale = 1 / error.scale.real()};
  const auto difference = [&](Index i) { return error.scale.real() * found.data()[i] - expected.data()[i]; };
  double square = 0;
  double sum = 0;
  double count = 0;
  for (Index i = 0; i < truth.size(); ++i) {
    const Index x = i % n;
    const Index y = i / n;
    bool is_flat = x >= 2 && x < n - 2 && y >= 2 && y < matrix[1] - 2 && truth.data()[i] > 0;
    for (Index dy = -2; dy <= 2 && is_flat; ++dy) {
      for (Index dx = -2; dx <= 2; ++dx) is_flat = is_flat && truth.data()[i + dy * n + dx] == truth.data()[i];
    }
    if (!is_flat) continue;
    double around = 0;
    for (Index dy = -1; dy <= 1; ++dy) {
      for (Index dx = -1; dx <= 1; ++dx) around += difference(i + dy * n + dx) / 9;
    }
    square += std::pow(difference(i) - around, 2);
    sum += expected.data()[i];
    ++count;
  }
  if (count > 0) quality.deviation = std::sqrt(square / count) / (sum / count);
  return quality;
}

inline double image_error(const Context& ctx, ArrayRef<const std::complex<float>> image, const Phantom& object,
                          Index coils) {
  return image_quality(ctx, image, object, coils).error;
}

}  // namespace whorl::test
