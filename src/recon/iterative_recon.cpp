#include "recon/iterative_recon.hpp"

#include "recon/coil_encoding.hpp"
#include "whorl/recon/least_squares.hpp"

namespace whorl::recon {

SolverReport cg_sense(const Context& ctx, const std::string& title, const ScanFrame& frame,
                      ArrayRef<const std::complex<float>> maps, const LinearOperator<float>& transform,
                      const ReconOptions& options, double* eigenvalue, StageClock& clock,
                      ArrayRef<std::complex<float>> image) {
  const CoilEncoding encoding(transform, maps);
  if (options.lambda == 0) {
    *eigenvalue = 1;  // the unit of lambda alone depends on it
  } else if (*eigenvalue == 0) {
    *eigenvalue = clock.time("largest eigenvalue", [&] { return normal_eigenvalue<float>(ctx, encoding.get()); });
  }
  return clock.time("conjugate gradient", [&] {
    return least_squares<float>(
        ctx, title, {encoding.get(), *eigenvalue}, frame.data,
        {.iterations = options.iterations, .tolerance = options.tolerance, .lambda = options.lambda}, image);
  });
}

}  // namespace whorl::recon
