// Scans without a calibration region, and how far an image of them is from the truth.
#pragma once

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

/// Of the magnitude of an image against |object| times the root of the coils' sum of squares: the part of both that is
/// determined. In the pixels that lie in the object.
inline double image_error(const Context& ctx, ArrayRef<const std::complex<float>> image, const Phantom& object,
                          Index coils) {
  const Context host = ctx.host();
  const std::array<Index, 3> matrix{image.extent(-1), image.extent(-2), 1};
  const Array<float> truth = rasterize<float>(host, object, matrix, 8);
  const auto maps = phantom_coil_maps<float>(host, make_phantom_coils(host, matrix, coils));
  const Array<float> root = root_sum_of_squares<float>(host, maps);
  Array<float> expected(host, truth.shape());
  for (Index i = 0; i < truth.size(); ++i) expected.data()[i] = truth.data()[i] * root.data()[i];
  const Array<std::complex<float>> here = to_host<const std::complex<float>>(ctx, image);
  const Array<float> found = magnitude<float>(host, here);
  return scaled_error<float>(host, found.ref().reshape(truth.shape()), expected).nrmse;
}

}  // namespace whorl::test
