// Data with a coil axis on a CPU: search for values that are not finite, correlations and mixing of coils, choice of
// samples.
#include "kernels/channels.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "backend/cpu/parallel.hpp"
#include "core/parallel.hpp"
#include "math/matrix_types.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

namespace {

using detail::Matrix;
using detail::RowMajorMatrix;

constexpr Index samples_at_once = 1024;  // samples converted to double at a time, so that they stay in the cache
constexpr Index most_parts = 16;  // of a sum over samples, which threads share; the same for any number of threads
constexpr Index few = 16;         // channels up to which products are made element by element

template <class Real>
Index first_not_finite(const Context&, Index count, const std::complex<Real>* elements) {
  const auto* end = elements + count;
  const auto* bad = std::find_if(elements, end, [](const std::complex<Real>& element) {
    return !std::isfinite(element.real()) || !std::isfinite(element.imag());
  });
  return bad == end ? -1 : bad - elements;
}

template <class Real>
void gram_of_channels(const Context& ctx, Index coils, Index elements, const std::complex<Real>* data,
                      kernels::SampleLimit kept, std::complex<double>* gram) {
  const Eigen::Map<const RowMajorMatrix<Real>> all(data, coils, elements);
  const Index blocks = divide_up(elements, samples_at_once);
  const Index parts = std::min(most_parts, blocks);
  std::vector<Matrix<double>> sums(static_cast<std::size_t>(parts), Matrix<double>::Zero(coils, coils));
  detail::parallel_for(
      ctx, threads_for(ctx, coils * coils * elements), "products of channels", 0, parts, [&](Index part) {
        for (Index b = part * blocks / parts; b < (part + 1) * blocks / parts && !ctx.cancel_requested(); ++b) {
          const Index first = b * samples_at_once;
          const Index count = std::min(samples_at_once, elements - first);
          Matrix<double> some = all.middleCols(first, count).template cast<std::complex<double>>();
          for (Index i = 0; kept.energies != nullptr && i < count; ++i) {
            if (kept.energies[first + i] > kept.limit) some.col(i).setZero();
          }
          sums[static_cast<std::size_t>(part)].template selfadjointView<Eigen::Lower>().rankUpdate(some);
        }
      });
  Matrix<double> sum = Matrix<double>::Zero(coils, coils);
  for (const Matrix<double>& part : sums) sum += part;
  Eigen::Map<RowMajorMatrix<double>>(gram, coils, coils) = sum.template selfadjointView<Eigen::Lower>();
}

template <class Real>
void apply_channel_matrix(const Context& ctx, Index channels, Index coils, Index elements,
                          const std::complex<double>* matrix, const std::complex<Real>* data,
                          std::complex<Real>* result) {
  const RowMajorMatrix<Real> weights =
      Eigen::Map<const RowMajorMatrix<double>>(matrix, channels, coils).template cast<std::complex<Real>>();
  const Eigen::Map<const RowMajorMatrix<Real>> from(data, coils, elements);
  Eigen::Map<RowMajorMatrix<Real>> to(result, channels, elements);
  constexpr Index columns = 4096;
  detail::parallel_for(ctx, "mixing channels", 0, divide_up(elements, columns), [&](Index block) {
    const Index first = block * columns;
    const Index count = std::min(columns, elements - first);
    if (channels <= few) {
      to.middleCols(first, count) = weights.lazyProduct(from.middleCols(first, count));
    } else {
      to.middleCols(first, count).noalias() = weights * from.middleCols(first, count);
    }
  });
}

template <class Real>
void sample_energies(const Context& ctx, Index coils, Index elements, const std::complex<double>* matrix,
                     const std::complex<Real>* data, double* energies) {
  const Eigen::Map<const RowMajorMatrix<double>> lower(matrix, coils, coils);
  const Eigen::Map<const RowMajorMatrix<Real>> all(data, coils, elements);
  const int threads = threads_for(ctx, coils * coils * elements);
  detail::parallel_for(ctx, threads, "energies of samples", 0, divide_up(elements, samples_at_once), [&](Index block) {
    const Index first = block * samples_at_once;
    const Index count = std::min(samples_at_once, elements - first);
    const Matrix<double> part = all.middleCols(first, count).template cast<std::complex<double>>();
    const Matrix<double> product = lower.template triangularView<Eigen::Lower>() * part;
    Eigen::Map<Eigen::RowVectorXd>(energies + first, count) = product.colwise().squaredNorm();
  });
}

template <class Real>
void take_samples(const Context& ctx, Index coils, Index samples, const std::complex<Real>* data, Index count,
                  const Index* places, std::complex<Real>* taken) {
#pragma omp parallel for num_threads(threads_for(ctx, coils* count)) schedule(static)
  for (Index c = 0; c < coils; ++c) {
    for (Index i = 0; i < count; ++i) taken[c * count + i] = data[c * samples + places[i]];
  }
}

}  // namespace

void register_channels() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::first_not_finite<Real>.set(DeviceKind::cpu, first_not_finite<Real>);
    kernels::gram_of_channels<Real>.set(DeviceKind::cpu, gram_of_channels<Real>);
    kernels::apply_channel_matrix<Real>.set(DeviceKind::cpu, apply_channel_matrix<Real>);
    kernels::sample_energies<Real>.set(DeviceKind::cpu, sample_energies<Real>);
    kernels::take_samples<Real>.set(DeviceKind::cpu, take_samples<Real>);
  });
}

}  // namespace whorl::backend::cpu
