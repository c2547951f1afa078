#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "bench/parity.hpp"
#include "bench/timing.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/phantom/phantom_scan.hpp"
#include "whorl/phantom/shepp_logan.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl::bench {

namespace {

// A head as three coils receive it along 30 spokes, with noise, and the maps of the coils.
Scan scan_to_reconstruct(const Context& host) {
  Scan scan;
  scan.matrix = {24, 20, 1};
  scan.frames.emplace_back().trajectory =
      std::make_shared<const Trajectory>(radial_trajectory(host, 30, 48, SpokeOrder::golden_angle));
  scan = phantom_scan(host, shepp_logan(2, PhantomContrast::modified), std::move(scan),
                      {.coils = 3, .noise_standard_deviation = 0.02});
  scan.coil_maps = phantom_coil_maps<float>(host, make_phantom_coils(host, scan.matrix, 3));
  scan.coil_maps.reshape({3, 1, 20, 24});
  return scan;
}

// The NUFFT's error of 1e-5 of the data makes one of 1e-5 / sqrt(lambda) = 1e-4 of the image at most (nufft_tolerance), and a
// relative residual of 1e-6 one of 1e-6 / lambda = 1e-4. Gridding has twice the NUFFT's error, in the adjoint and in the scale.
constexpr double transform_tolerance = 1e-5;
constexpr double least_squares_tolerance = 5e-4;

// From the scan on the host to the image on the host, against the image by the exact sums on the CPU.
Parity check_reconstruction(const Context& ctx, ReconMethod method) {
  const Scan scan = scan_to_reconstruct(ctx.host());
  ReconOptions options;
  options.method = method;
  options.coil_maps = CoilMapMethod::file;
  options.gridding.combination = CombinationMethod::matched;
  options.cg_sense.lambda = 1e-2;
  options.cg_sense.tolerance = 1e-6;
  options.nufft.tolerance = transform_tolerance;
  Reconstruction found;
  Parity parity;
  parity.median_ms = time_work(ctx, Effort::quick, [&] { found = reconstruct(ctx, scan, options); }).median_ms;
  options.transform = TransformMethod::exact;
  const Reconstruction expected = reconstruct(ctx.host(), scan, options);
  double square = 0;
  double total = 0;
  for (Index v = 0; v < expected.images.size(); ++v) {
    square += std::norm(std::complex<double>(found.images.data()[v] - expected.images.data()[v]));
    total += std::norm(std::complex<double>(expected.images.data()[v]));
  }
  parity.error = std::sqrt(square / total);
  parity.allowed = method == ReconMethod::gridding ? 10 * transform_tolerance : least_squares_tolerance;
  return parity;
}

}  // namespace

std::vector<KernelCheck> recon_checks() {
  std::vector<KernelCheck> checks;
  for (const auto& [name, method] :
       {std::pair{"gridding", ReconMethod::gridding}, {"cg-sense", ReconMethod::cg_sense}}) {
    checks.push_back({fmt::format("reconstruction/{}/24x20x3", name),
                      [method = method](const Context& ctx) { return check_reconstruction(ctx, method); }});
  }
  return checks;
}

}  // namespace whorl::bench
