#include "whorl/calib/coil_compression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "calib/channels.hpp"
#include "math/decompositions.hpp"
#include "whorl/calib/option_tables.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/on_device.hpp"

namespace whorl {
namespace {

// Number of virtual coils that the options ask for.
Index coils_to_keep(const CoilCompressionOptions& options, const std::vector<double>& energies) {
  if (options.virtual_coils > 0) return options.virtual_coils;
  double sum = 0;
  Index kept = 0;
  for (const double energy : energies) {
    if (kept > 0 && sum >= options.energy) break;
    sum += energy;
    ++kept;
  }
  return kept;
}

}  // namespace

template <Precision Real>
Array<std::complex<double>> coil_gram(const Context& ctx, ArrayRef<const std::complex<Real>> data) {
  const OnDevice<std::complex<Real>> here(ctx, data);
  detail::check_channels<Real>(ctx, "coil compression", here.get(), 2, 2);
  const detail::Matrix<double> gram = detail::gram_of_channels<Real>(ctx, here.get());
  Array<std::complex<double>> result(ctx.host(), {gram.rows(), gram.cols()});
  Eigen::Map<detail::RowMajorMatrix<double>>(result.data(), gram.rows(), gram.cols()) = gram;
  return result;
}

template <Precision Real>
CoilCompression coil_compression(const Context& ctx, std::span<const ArrayRef<const std::complex<Real>>> data,
                                 const CoilCompressionOptions& options) {
  if (data.empty()) throw ShapeError("coil compression: there is no frame");
  const Index coils = data.front().rank() > 0 ? data.front().extent(0) : 0;
  Array<std::complex<double>> gram = zeros<std::complex<double>>(ctx.host(), {coils, coils});
  for (const auto& frame : data) {
    const Array<std::complex<double>> of_frame = coil_gram<Real>(ctx, frame);
    if (frame.extent(0) != coils) {
      throw ShapeError(fmt::format("coil compression: frames of {} and {} coils", coils, frame.extent(0)));
    }
    for (Index i = 0; i < gram.size(); ++i) gram.data()[i] += of_frame.data()[i];
  }
  return coil_compression_of_gram(ctx, gram, options);
}

CoilCompression coil_compression_of_gram(const Context& ctx, ArrayRef<const std::complex<double>> gram,
                                         const CoilCompressionOptions& options) {
  check_options(options);
  if (gram.rank() != 2 || gram.extent(0) != gram.extent(1)) {
    throw ShapeError(fmt::format("coil compression: Gram matrix {}, expected [coil, coil]", to_string(gram.shape())));
  }
  const Index coils = gram.extent(0);
  if (options.virtual_coils > coils) {
    throw ValueError(fmt::format("coil compression: expected 1 to {} virtual coils (0: by energy), got {}", coils,
                                 options.virtual_coils));
  }
  const detail::Matrix<double> matrix = Eigen::Map<const detail::RowMajorMatrix<double>>(gram.data(), coils, coils);
  const double total = matrix.trace().real();
  if (!(total > 0)) throw ValueError("coil compression: all data is zero");

  const auto [values, vectors] = detail::eigenpairs(matrix);
  CoilCompression result;
  for (Index i = coils - 1; i >= 0; --i) result.energies.push_back(std::max(0.0, values(i)) / total);
  const Index kept = coils_to_keep(options, result.energies);
  result.energy_kept = std::accumulate(result.energies.begin(), result.energies.begin() + kept, 0.0);
  result.matrix = Array<std::complex<double>>(ctx.host(), {kept, coils});
  Eigen::Map<detail::RowMajorMatrix<double>>(result.matrix.data(), kept, coils) =
      vectors.rightCols(kept).rowwise().reverse().adjoint();
  return result;
}

template Array<std::complex<double>> coil_gram(const Context&, ArrayRef<const std::complex<float>>);
template Array<std::complex<double>> coil_gram(const Context&, ArrayRef<const std::complex<double>>);
template CoilCompression coil_compression(const Context&, std::span<const ArrayRef<const std::complex<float>>>,
                                          const CoilCompressionOptions&);
template CoilCompression coil_compression(const Context&, std::span<const ArrayRef<const std::complex<double>>>,
                                          const CoilCompressionOptions&);

}  // namespace whorl
