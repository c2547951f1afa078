#include "whorl/density/impulse_response.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "density/density_memory.hpp"
#include "kernels/density.hpp"
#include "op/nufft_memory.hpp"
#include "whorl/core/on_device.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {

namespace {

// The peak is measured on an image of its own, this much finer and with up to 4 pixels on each side.
constexpr Index zoom_of_peak = 8;
constexpr Index extent_of_peak = 64;

Shape image_of_peak(int dim) { return Shape(std::vector<Index>(static_cast<std::size_t>(dim), extent_of_peak)); }

// A transform to an image in steps of 1/zoom pixel. The scaled positions end with its making.
template <class Real>
Nufft<Real> zoomed_transform(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape, double zoom) {
  if (zoom == 1) return {ctx, points, image_shape, 1};
  Array<double> scaled(ctx, points.shape());
  kernels::scale<double>(ctx, points.size(), 1 / zoom, OnDevice<double>(ctx, points).get().data(), scaled.data());
  return {ctx, scaled, image_shape, 1};
}

// The response p = A^H w, sampled in steps of 1/zoom pixel, on the host.
template <class Real>
Array<std::complex<Real>> response(const Context& ctx, ArrayRef<const double> points, ArrayRef<const Real> weights,
                                   const Shape& image_shape, double zoom) {
  const Nufft<Real> nufft = zoomed_transform<Real>(ctx, points, image_shape, zoom);
  Array<std::complex<Real>> samples(ctx, nufft.range());
  to_complex<Real>(ctx, OnDevice<Real>(ctx, weights).get().reshape(samples.shape()), samples);
  Array<std::complex<Real>> p(ctx, nufft.domain());
  nufft.adjoint(ctx, samples, p);
  if (ctx.device().kind == DeviceKind::cpu) return p;
  return to_host(ctx, p.ref());
}

// Full width at half maximum along one axis through the peak, in steps: where |p| first falls below half on both sides,
// by linear interpolation.
template <class Real>
double width_along(const std::complex<Real>* peak, Index stride, Index steps) {
  const double half = 0.5 * std::abs(*peak);
  double width = 0;
  for (const Index side : {-1, 1}) {
    double previous = 2 * half;
    Index i = 1;
    for (; i < steps; ++i) {
      const double value = std::abs(peak[side * i * stride]);
      if (value < half) break;
      previous = value;
    }
    const double value = std::abs(peak[side * i * stride]);
    width += static_cast<double>(i) - (value < half ? (half - value) / (previous - value) : 0);
  }
  return width;
}

// Mean over the axes of the full width at half maximum, in pixels.
template <class Real>
double mean_width(const Context& ctx, ArrayRef<const double> points, ArrayRef<const Real> weights) {
  constexpr Index extent = extent_of_peak;
  const auto dim = static_cast<int>(points.extent(1));
  const auto p = response<Real>(ctx, points, weights, image_of_peak(dim), static_cast<double>(zoom_of_peak));
  Index center = 0;
  for (int axis = 0; axis < dim; ++axis) center = center * extent + extent / 2;
  double width = 0;
  Index stride = 1;
  for (int axis = 0; axis < dim; ++axis, stride *= extent) {
    width += width_along(p.data() + center, stride, extent / 2 - 1);
  }
  return width / static_cast<double>(dim * zoom_of_peak);
}

}  // namespace

template <class Real>
Index detail::impulse_response_memory(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape) {
  constexpr auto complex_bytes = static_cast<Index>(sizeof(std::complex<Real>));
  const auto response_of = [&](const Shape& image, double zoom) {
    const NufftMemory nufft = placed_nufft_memory<Real>(ctx, {points, {1 / zoom, 1 / zoom, 1 / zoom}}, image, 1, {});
    const Index scaled = zoom == 1 ? 0 : points.size() * static_cast<Index>(sizeof(double));
    return nufft.plan +
           std::max(scaled + nufft.planning, nufft.adjoint + (points.extent(0) + image.size()) * complex_bytes);
  };
  return std::max(response_of(image_shape, 1),
                  response_of(image_of_peak(image_shape.rank()), static_cast<double>(zoom_of_peak)));
}

template Index detail::impulse_response_memory<float>(const Context&, ArrayRef<const double>, const Shape&);
template Index detail::impulse_response_memory<double>(const Context&, ArrayRef<const double>, const Shape&);

template <Precision Real>
ImpulseResponse impulse_response(const Context& ctx, ArrayRef<const double> points, ArrayRef<const Real> weights,
                                 const Shape& image_shape) {
  if (points.rank() != 2 || weights.shape() != Shape{points.extent(0)}) {
    throw ShapeError(fmt::format("impulse response: weights have shape {}, expected one for each sample of points {}",
                                 to_string(weights.shape()), to_string(points.shape())));
  }
  const double peak_width = mean_width<Real>(ctx, points, weights);  // first: the image below takes room beside it
  const auto image = response<Real>(ctx, points, weights, image_shape, 1);
  const bool volume = image_shape.rank() == 3;
  const Index nz = volume ? image_shape[0] : 1;
  const Index ny = image_shape[-2];
  const Index nx = image_shape[-1];
  const auto p = image.ref().reshape({nz, ny, nx}).template view<3>();
  const std::complex<Real>* peak = &p(nz / 2, ny / 2, nx / 2);
  double outside = 0;
  double total = 0;
  double largest = 0;
  for (Index z = 0; z < nz; ++z) {
    for (Index y = 0; y < ny; ++y) {
      for (Index x = 0; x < nx; ++x) {
        const double energy = std::norm(p(z, y, x));
        total += energy;
        const Index dz = z - nz / 2;
        const Index dy = y - ny / 2;
        const Index dx = x - nx / 2;
        if (static_cast<double>(dx * dx + dy * dy + dz * dz) <= main_lobe_radius * main_lobe_radius) continue;
        outside += energy;
        largest = std::max(largest, energy);
      }
    }
  }
  return {.width = peak_width, .side_lobe = std::sqrt(largest / std::norm(*peak)), .side_lobe_energy = outside / total};
}

template ImpulseResponse impulse_response(const Context&, ArrayRef<const double>, ArrayRef<const float>, const Shape&);
template ImpulseResponse impulse_response(const Context&, ArrayRef<const double>, ArrayRef<const double>, const Shape&);

}  // namespace whorl
