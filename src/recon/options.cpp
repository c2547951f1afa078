#include "whorl/recon/options.hpp"

#include <algorithm>
#include <cmath>

namespace whorl {

double nufft_tolerance(const ReconOptions& options) {
  constexpr double usual = 1e-3;
  constexpr double least_lambda = 1e-6;
  if (options.nufft.tolerance > 0) return options.nufft.tolerance;
  if (options.method != ReconMethod::cg_sense) return usual;
  const double lambda = options.cg_sense.lambda_search ? 0 : options.cg_sense.lambda;
  return std::min(usual, 0.01 * std::sqrt(std::max(lambda, least_lambda)));
}

bool needs_coil_maps(const ReconOptions& options) {
  return options.method == ReconMethod::cg_sense ||
         (options.method == ReconMethod::gridding && options.gridding.combination == CombinationMethod::matched);
}

bool has_support(const ReconOptions& options) {
  return options.support == ImageSupport::ball || options.support == ImageSupport::image;
}

}  // namespace whorl
