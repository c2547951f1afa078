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
CoilCompression coil_compression(const Context& ctx, std::span<const ArrayRef<const std::complex<Real>>> data,
                                 const CoilCompressionOptions& options) {
  if (data.empty()) throw ShapeError("coil compression: there is no frame");
  const Index coils = data.front().rank() > 0 ? data.front().extent(0) : 0;
  detail::Matrix<double> gram = detail::Matrix<double>::Zero(coils, coils);
  for (const auto& frame : data) {
    const OnDevice<std::complex<Real>> here(ctx, frame);
    detail::check_channels<Real>(ctx, "coil compression", here.get(), 2, 2);
    if (frame.extent(0) != coils) {
      throw ShapeError(fmt::format("coil compression: frames of {} and {} coils", coils, frame.extent(0)));
    }
    gram += detail::gram_of_channels<Real>(ctx, here.get());
  }
  check_options(options);
  if (options.virtual_coils > coils) {
    throw ValueError(fmt::format("coil compression: expected 1 to {} virtual coils (0: by energy), got {}", coils,
                                 options.virtual_coils));
  }
  const double total = gram.trace().real();
  if (!(total > 0)) throw ValueError("coil compression: all data is zero");

  const auto [values, vectors] = detail::eigenpairs(gram);
  CoilCompression result;
  for (Index i = coils - 1; i >= 0; --i) result.energies.push_back(std::max(0.0, values(i)) / total);
  const Index kept = coils_to_keep(options, result.energies);
  result.energy_kept = std::accumulate(result.energies.begin(), result.energies.begin() + kept, 0.0);
  result.matrix = Array<std::complex<double>>(ctx.host(), {kept, coils});
  Eigen::Map<detail::RowMajorMatrix<double>>(result.matrix.data(), kept, coils) =
      vectors.rightCols(kept).rowwise().reverse().adjoint();
  return result;
}

template CoilCompression coil_compression(const Context&, std::span<const ArrayRef<const std::complex<float>>>,
                                          const CoilCompressionOptions&);
template CoilCompression coil_compression(const Context&, std::span<const ArrayRef<const std::complex<double>>>,
                                          const CoilCompressionOptions&);

}  // namespace whorl
