#include "whorl/recon/spectral_lambda.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "calib/channels.hpp"
#include "math/decompositions.hpp"
#include "solver/lanczos.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/math/fft.hpp"

namespace whorl {

namespace {

constexpr int lanczos_steps = 20;
constexpr double complete = 1e-6;       // of the start's gain: what is left of a complete Krylov space is rounding
constexpr double error_of_maps = 0.01;  // of a sensitivity, where sum_c |s_c|^2 = 1
constexpr std::uint64_t seed = 1;
// R is smooth over log lambda: steps of a fortieth of a decade change it by less than 0.1 % near its minimum.
constexpr double largest_lambda = 10;
constexpr int decades = 9;
constexpr int steps_per_decade = 40;

struct Shell {
  double samples = 0;  // on the trajectory
  double energy = 0;   // of these, of all coils, less the noise
};

// Shells of equal thickness up to the ellipsoid |2 k| = 1 inscribed to k-space, and one for the corners beyond it.
std::vector<Shell> shells_of(const Trajectory& trajectory, const Shape& image, const Array<double>& energies,
                             double energy_unit, double noise) {
  const Index inside = std::max<Index>(*std::max_element(image.begin(), image.end()) / 2, 1);
  std::vector<Shell> shells(static_cast<std::size_t>(inside) + 1);
  double farthest = 0;  // in thicknesses of a shell
  const auto k = trajectory.points.view<2>();
  for (Index j = 0; j < k.extent(0); ++j) {
    double square = 0;
    for (Index axis = 0; axis < k.extent(1); ++axis) square += k(j, axis) * k(j, axis);
    const double radius = 2 * std::sqrt(square) * static_cast<double>(inside);
    farthest = std::max(farthest, radius);
    Shell& shell = shells[static_cast<std::size_t>(std::min(static_cast<Index>(radius), inside))];
    ++shell.samples;
    shell.energy += energy_unit * energies.data()[j] - noise;
  }
  // Spokes end at |k| = 1/2. Samples at the inner edge of the corners tell nothing of them.
  if (farthest < static_cast<double>(inside) + 0.5) {
    Shell& last = shells[static_cast<std::size_t>(inside) - 1];
    last.samples += shells.back().samples;
    last.energy += shells.back().energy;
    shells.back() = {};
  }
  return shells;
}

double power_of(const Shell& shell) { return shell.samples > 0 ? std::max(0.0, shell.energy / shell.samples) : 0; }

// An image whose k-space is random with the power of the shells.
template <class Real>
Array<std::complex<Real>> random_object(const Context& ctx, const Shape& image, const std::vector<Shell>& shells) {
  Array<std::complex<Real>> object(ctx.host(), image);
  fill_random_normal<Real>(ctx.host(), object, seed);
  const std::size_t inside = shells.size() - 1;
  for (Index i = 0; i < image.size(); ++i) {
    double square = 0;  // of 2 k
    Index rest = i;
    for (int axis = image.rank() - 1; axis >= 0; --axis) {
      const Index n = image[axis];
      square += std::pow(2 * static_cast<double>(rest % n - n / 2) / static_cast<double>(n), 2);
      rest /= n;
    }
    const auto shell = static_cast<std::size_t>(std::sqrt(square) * static_cast<double>(inside));
    object.data()[i] *= static_cast<Real>(std::sqrt(power_of(shells[std::min(shell, inside)])));
  }
  centered_fft<Real>(ctx.host(), FftDirection::inverse, object, image.rank());
  return ctx.device().kind == DeviceKind::cpu ? std::move(object) : clone(ctx, object.ref());
}

template <class Real>
Array<std::complex<Real>> white_noise(const Context& ctx, const Shape& image) {
  Array<std::complex<Real>> noise(ctx, image);
  fill_random_normal<Real>(ctx, noise, seed + 1);
  return noise;
}

// x^H f(A^H A) x = |x|^2 sum_i weight_i f(theta_i), exact for polynomials f of degree 2 steps - 1.
struct Node {
  double theta;
  double weight;
};

template <class Real>
std::vector<Node> quadrature(const Context& ctx, const LinearOperator<Real>& A, Array<std::complex<Real>> start) {
  detail::Lanczos<Real> lanczos(ctx, std::move(start));
  for (int step = 0; step < lanczos_steps; ++step) {
    lanczos.step(
        ctx,
        [&](const Context& c, ArrayRef<const std::complex<Real>> x, ArrayRef<std::complex<Real>> z) {
          A.normal(c, x, z);
        },
        "choice of lambda");
    if (lanczos.beta().back() <= complete * lanczos.alpha().front()) break;
  }
  const auto n = static_cast<Eigen::Index>(lanczos.alpha().size());
  const auto [values, vectors] =
      detail::tridiagonal_eigenpairs(Eigen::Map<const Eigen::VectorXd>(lanczos.alpha().data(), n),
                                     Eigen::Map<const Eigen::VectorXd>(lanczos.beta().data(), n - 1));
  std::vector<Node> nodes;
  for (Eigen::Index i = 0; i < n; ++i) nodes.push_back({std::max(0.0, values(i)), std::pow(vectors(0, i), 2)});
  return nodes;
}

// The expected squared error of an image of energy `signal`, where v times the number of voxels is `noise`.
double expected_error(const std::vector<Node>& object, double signal, const std::vector<Node>& white, double noise,
                      double weight) {
  double error = 0;
  for (const Node& node : object) error += signal * node.weight * std::pow(weight / (node.theta + weight), 2);
  for (const Node& node : white) error += noise * node.weight * node.theta / std::pow(node.theta + weight, 2);
  return error;
}

}  // namespace

template <Precision Real>
LambdaChoice spectral_lambda(const Context& ctx, const Trajectory& trajectory, const LinearOperator<Real>& encoding,
                             ArrayRef<const std::complex<Real>> data, double eigenvalue, double noise, double unit) {
  const Shape& image = encoding.domain();
  if (data.rank() != 2 || data.extent(1) != trajectory.samples() || trajectory.dim() != image.rank()) {
    throw ShapeError(
        fmt::format("choice of lambda: data {} for a trajectory of {} samples in {} dimensions and an image "
                    "{}; expected [coil, sample] of these samples, and as many dimensions",
                    to_string(data.shape()), trajectory.samples(), trajectory.dim(), to_string(image)));
  }
  if (!(eigenvalue > 0) || !(noise >= 0)) {
    throw ValueError(
        fmt::format("choice of lambda: a largest eigenvalue of {} and a noise of {}, expected more than 0 "
                    "and 0 or more",
                    eigenvalue, noise));
  }
  const auto coils = data.extent(0);
  const Context there = data.device() == ctx.device() ? ctx : ctx.host();  // spilled data lie on the host
  const detail::RowMajorMatrix<double> identity = detail::RowMajorMatrix<double>::Identity(coils, coils);
  const Array<double> energies = to_host(there, detail::sample_energies<Real>(there, identity, data));
  const std::vector<Shell> shells =
      shells_of(trajectory, image, energies, unit * unit, static_cast<double>(coils) * noise);
  double data_energy = 0;
  bool any = false;
  for (const Shell& shell : shells) {
    data_energy += shell.energy;
    any = any || power_of(shell) > 0;
  }
  LambdaChoice choice;
  choice.method = LambdaMethod::spectrum;
  if (!any || !(data_energy > 0)) {
    choice.lambda = largest_lambda;
    choice.reason = fmt::format("Lambda {:.2e}, the largest: the data have no energy above the noise", choice.lambda);
    return choice;
  }
  const std::vector<Node> object = quadrature<Real>(ctx, encoding, random_object<Real>(ctx, image, shells));
  const std::vector<Node> white = quadrature<Real>(ctx, encoding, white_noise<Real>(ctx, image));
  double gain = 0;  // |A x|^2 / |x|^2
  for (const Node& node : object) gain += node.weight * node.theta;
  const auto voxels = static_cast<double>(image.size());
  const double signal = data_energy / gain;
  const double map_error = coils > 1 ? error_of_maps * error_of_maps * signal : 0;
  double least = 0;
  for (int i = 0; i <= decades * steps_per_decade; ++i) {
    const double lambda = largest_lambda * std::pow(10.0, -static_cast<double>(i) / steps_per_decade);
    const double error = expected_error(object, signal, white, voxels * noise + map_error, lambda * eigenvalue);
    if (i > 0 && error >= least) continue;
    least = error;
    choice.lambda = lambda;
  }
  choice.reason = fmt::format(
      "Lambda {:.2e} from the power spectrum of the data ({})", choice.lambda,
      noise > 0 ? fmt::format("a voxel has {:.3g} times the energy of the noise in a sample", signal / voxels / noise)
                : std::string("the noise is not known: of the errors of coil maps alone"));
  return choice;
}

template LambdaChoice spectral_lambda<float>(const Context&, const Trajectory&, const LinearOperator<float>&,
                                             ArrayRef<const std::complex<float>>, double, double, double);
template LambdaChoice spectral_lambda<double>(const Context&, const Trajectory&, const LinearOperator<double>&,
                                              ArrayRef<const std::complex<double>>, double, double, double);

}  // namespace whorl
