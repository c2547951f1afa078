#include "studies/fhd/problem.hpp"

#include <cmath>
#include <numbers>

#include "studies/quantitative_mri/object.hpp"
#include "studies/quantitative_mri/scan.hpp"
#include "whorl/op/dft.hpp"

namespace whorl::studies::fhd {

namespace {

using Wide = std::complex<double>;

double sinc(double k) {
  const double angle = std::numbers::pi * k;
  return angle == 0 ? 1 : std::sin(angle) / angle;
}

Array<Wide> transform_of_a_voxel(const Context& ctx, ArrayRef<const double> points) {
  Array<Wide> phi(ctx, {points.extent(0)});
  const auto k = points.view<2>();
  for (Index j = 0; j < phi.size(); ++j) {
    const double size = sinc(k(j, 0)) * sinc(k(j, 1)) * sinc(k(j, 2));
    phi.data()[j] = std::polar(1.0, -std::numbers::pi * (k(j, 0) + k(j, 1) + k(j, 2))) * size;
  }
  return phi;
}

}  // namespace

Scan simulate(const Context& ctx, Index size, Index samples) {
  const quantitative_mri::Object head(quantitative_mri::Options{}.blur);
  Scan scan{{size, size, size}, quantitative_mri::kooshball(ctx, size, samples).points, {}, {}};
  scan.phi = transform_of_a_voxel(ctx, scan.points);
  scan.data = head.samples(ctx, size, scan.points);
  return scan;
}

Array<Wide> exact_sums(const Context& ctx, const Scan& scan) {
  Array<Wide> mu(ctx.host(), scan.data.shape());
  for (Index j = 0; j < mu.size(); ++j) mu.data()[j] = std::conj(scan.phi.data()[j]) * scan.data.data()[j];
  const Dft<double> dft(ctx, clone(ctx, scan.points.ref()), {scan.image[0], scan.image[1], scan.image[2]}, 1);
  Array<Wide> image(ctx, dft.domain());
  const Array<Wide> there = clone(ctx, mu.ref());
  dft.adjoint(ctx, there.ref().reshape(dft.range()), image);
  Array<Wide> sums = to_host(ctx, image.ref());
  // The sums alone, without the transform's scale.
  const double scale = std::sqrt(static_cast<double>(sums.size()));
  for (Wide& sum : sums.span()) sum *= scale;
  sums.reshape({sums.size()});
  return sums;
}

template <class Real>
Problem<Real> problem_of(const Context& ctx, const Scan& scan, Index first, Index count) {
  const Context host = ctx.host();
  const Index samples = scan.data.size();
  Array<Real> planes(host, {7, samples});
  const auto plane = planes.template view<2>();
  for (Index j = 0; j < samples; ++j) {
    for (Index axis = 0; axis < 3; ++axis) plane(axis, j) = static_cast<Real>(scan.points.view<2>()(j, axis));
    plane(3, j) = static_cast<Real>(scan.phi.data()[j].real());
    plane(4, j) = static_cast<Real>(scan.phi.data()[j].imag());
    plane(5, j) = static_cast<Real>(scan.data.data()[j].real());
    plane(6, j) = static_cast<Real>(scan.data.data()[j].imag());
  }
  const auto [nz, ny, nx] = scan.image;
  Array<Real> voxels(host, {3, count});
  const auto position = voxels.template view<2>();
  for (Index i = 0; i < count; ++i) {
    const Index voxel = first + i;
    const Index x = voxel % nx - nx / 2;
    const Index y = voxel / nx % ny - ny / 2;
    const Index z = voxel / nx / ny - nz / 2;
    position(0, i) = static_cast<Real>(x);
    position(1, i) = static_cast<Real>(y);
    position(2, i) = static_cast<Real>(z);
  }
  return {scan.image, clone(ctx, planes.ref()), clone(ctx, voxels.ref())};
}

template <class Real>
Sums<Real> sums_of(const Problem<Real>& problem, ArrayRef<Real> sums) {
  const Index samples = problem.samples.extent(1);
  const Index voxels = problem.voxels.extent(1);
  const auto plane = [&](Index i) { return problem.samples.data() + i * samples; };
  const Real* const x = problem.voxels.data();
  return {.samples = samples,
          .voxels = voxels,
          .kx = plane(0),
          .ky = plane(1),
          .kz = plane(2),
          .phi_real = plane(3),
          .phi_imag = plane(4),
          .d_real = plane(5),
          .d_imag = plane(6),
          .x = x,
          .y = x + voxels,
          .z = x + 2 * voxels,
          .real = sums.data(),
          .imag = sums.data() + voxels};
}

template Problem<float> problem_of(const Context&, const Scan&, Index, Index);
template Problem<double> problem_of(const Context&, const Scan&, Index, Index);
template Sums<float> sums_of(const Problem<float>&, ArrayRef<float>);
template Sums<double> sums_of(const Problem<double>&, ArrayRef<double>);

}  // namespace whorl::studies::fhd
