// A head with several coils and noise, as regularized least squares takes it.
#pragma once

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "support/device.hpp"
#include "support/phantom_scan.hpp"
#include "whorl/core/on_device.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/sense_nufft.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/recon/regularized_least_squares.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl::test {

struct RegularizedPhantom {
  Index n = 48;
  Index coils = 4;
  Index spokes = 24;
  double noise = 0.03;      // of a sample; the object is about 1
  Index frames = 1;         // in which the object decays, all of one trajectory
  bool normalized = false;  // coil maps with a sum of squares of 1
  bool supported = false;   // coil maps that are 0 outside of an ellipse around the head, as ESPIRiT's

  Context ctx = device_context(2);
  RegularizedModel<float> model{};
  Array<std::complex<float>> data{};  // in the unit in which E|n|^2 = 1
  Array<std::complex<float>> b{};
  double unit = 0;

  /// Made of the data without noise if the scan has none.
  void make() {
    auto trajectory =
        std::make_shared<Trajectory>(radial_trajectory(ctx.host(), spokes, 2 * n, SpokeOrder::golden_angle));
    Scan scan =
        make_phantom_scan(ctx.host(), trajectory, {n, n, 1}, {.coils = coils, .noise_standard_deviation = noise});
    auto maps = phantom_coil_maps<float>(ctx.host(), make_phantom_coils(ctx.host(), {n, n, 1}, coils));
    if (normalized) divide_by_root_sum_of_squares(maps);
    if (supported) cut_to_support(maps);
    const Nufft<float> nufft(ctx, trajectory->points, {n, n}, coils, {.tolerance = 1e-5});
    model.encoding = SenseNufft<float>(nufft, clone<std::complex<float>>(ctx, maps.ref()));
    model.eigenvalue = normal_eigenvalue<float>(ctx, model.encoding);
    data = clone<std::complex<float>>(ctx, scan.frames.front().data.ref());
    if (noise > 0) axpby<float>(ctx, 1 / noise, data, 0, data);
    if (frames > 1) make_series();
    set_right_hand_side();
  }
  void make_series() {
    using Complex = std::complex<float>;
    model = repeated(model, frames);
    Array<Complex> all(ctx, model.encoding->range());
    for (Index f = 0; f < frames; ++f) {
      axpby<float>(ctx, std::exp(-0.3 * static_cast<double>(f)), data, 0, all.slice(f));
    }
    data = std::move(all);
  }
  void divide_by_root_sum_of_squares(Array<std::complex<float>>& maps) const {
    for (Index r = 0; r < n * n; ++r) {
      double squares = 0;
      for (Index c = 0; c < coils; ++c) squares += std::norm(std::complex<double>(maps.data()[c * n * n + r]));
      for (Index c = 0; c < coils; ++c) maps.data()[c * n * n + r] /= static_cast<float>(std::sqrt(squares));
    }
  }
  // The head is the ellipse of 0.69 and 0.92 of half of the field of view (whorl/phantom/shepp_logan.hpp).
  bool is_supported(Index r) const {
    const double half = static_cast<double>(n) / 2;
    const double x = (static_cast<double>(r % n) - half) / (0.8 * half);
    const double y = (static_cast<double>(r / n) - half) / (0.98 * half);
    return x * x + y * y < 1;
  }
  void cut_to_support(Array<std::complex<float>>& maps) const {
    for (Index i = 0; i < maps.size(); ++i) {
      if (!is_supported(i % (n * n))) maps.data()[i] = 0;
    }
  }
  void set_right_hand_side() {
    b = Array<std::complex<float>>(ctx, model.encoding->domain());
    model.encoding->adjoint(ctx, data, b);
    axpby<float>(ctx, 1 / model.eigenvalue, b, 0, b);
    if (unit == 0) unit = largest_magnitude<float>(ctx, b);
  }
  std::vector<ProximalPenalty<float>> penalties(std::vector<Regularizer> terms) const {
    return make_penalties<float>({frames, 1, n, n}, terms, unit);
  }
};

}  // namespace whorl::test
