#include "recon/regularized/regularized_memory.hpp"

#include <algorithm>

#include "recon/field_of_view.hpp"
#include "recon/regularized/inner_preconditioner.hpp"
#include "recon/regularizers/term.hpp"
#include "whorl/solver/fista.hpp"
#include "whorl/solver/primal_dual.hpp"

namespace whorl::recon {

namespace {

// Memory of a solve, in arrays of the images' size.
struct SolveArrays {
  Index duals = 0;
  Index start = 0;    // what it leaves for others to start from: dual variables and further unknowns
  Index held = 0;     // beside x, b and the dual variables
  Index relaxed = 0;  // more of them where error bars relax and the image does not
  Index working = 0;  // while a term works
};

SolveArrays arrays_of_solve(const ReconOptions& options, Index image_axes) {
  Index unknowns = 1;
  bool differs = false;
  bool joins = false;
  bool versions = false;
  SolveArrays arrays;
  for (const Regularizer& what : options.regularized.terms) {
    const TermArrays of_term = descriptor_of(what).arrays(what, image_axes);
    differs = differs || of_term.differs;
    joins = joins || of_term.joins;
    versions = versions || of_term.versions;
    arrays.duals += of_term.duals;
    unknowns += of_term.unknowns;
    arrays.working = std::max(arrays.working, of_term.working);
  }
  const bool preconditioned = differs || !joins;  // inner_preconditioner.cpp finds the same from the spectra
  switch (solver_for(options.regularized.solver, options.regularized.terms, has_support(options))) {
    case RegularizedSolver::fista:
      arrays.held = fista_arrays(versions);
      arrays.duals = 0;
      return arrays;
    case RegularizedSolver::primal_dual:
      arrays.held = primal_dual_arrays * unknowns;
      break;
    case RegularizedSolver::admm:
    case RegularizedSolver::automatic:
      arrays.held = (admm_arrays(preconditioned) + (preconditioned ? inner_preconditioner_arrays : 0)) * unknowns;
      // Relaxing keeps the dual variables of the step before; random shifts are averaged by it.
      (preconditioned || versions ? arrays.held : arrays.relaxed) += arrays.duals;
      break;
  }
  // By its dual variable a function works on an array of its own.
  ++arrays.working;
  // With further unknowns x and b are there once more, with them.
  if (unknowns > 1) arrays.held += 2 * unknowns;
  arrays.start = arrays.duals + unknowns - 1;
  return arrays;
}

// Problems that error bars solve as one.
Index problems_of(const ReconOptions& options, Index replicas) {
  const bool linear = options.error_bars.noise.method == StandardDeviationMethod::probe;
  return linear ? replicas + 1 : replicas;
}

// Problems that the choice of weights solves as one; 0 where none are chosen.
Index problems_of_choice(const ReconOptions& options) {
  Index problems = 0;
  for (const Regularizer& what : options.regularized.terms) {
    if (what.choice) problems = *what.choice == LambdaMethod::gcv ? 2 : 1;
  }
  return problems;
}

Index bytes_at_peak(const LeastSquaresSizes& sizes, Index frames, Index replicas, const ReconOptions& options) {
  const Index images = frames * sizes.voxels * complex_bytes;
  const SolveArrays arrays = arrays_of_solve(options, sizes.axes);
  // Some problems solved as one, beside their x and b. Terms work on one after the other.
  const auto solve = [&](Index problems) {
    return problems * (arrays.held + arrays.duals) * images +
           std::max(sizes.normal(problems * frames) + (sizes.penalized ? problems * images : 0),
                    arrays.working * images);
  };
  Index most = std::max(sizes.adjoint(frames) + frames * sizes.data, solve(1));
  // The choice of weights has of each problem its image, its right-hand side and its unknowns to start from; noise for all
  // but the first; samples twice.
  if (const Index problems = problems_of_choice(options); problems > 0) {
    const Index each = 2 + arrays.start - arrays.duals + arrays.relaxed;
    most = std::max(most, (each * problems + problems - 1) * images + 2 * frames * sizes.data + solve(problems));
  }
  // Error bars: what the image started from, the sum of the images and that of their squares; of each replica its image,
  // its right-hand side and its unknowns to start from. The data as they are may be one more.
  if (options.error_bars.standard_deviation) {
    const Index problems = problems_of(options, replicas);
    const Index each = 2 + arrays.start - arrays.duals + arrays.relaxed;
    most = std::max(most, (arrays.start + 2 + each * problems) * images + solve(problems));
  }
  return images + most;
}

}  // namespace

RegularizedMemory regularized_memory(const LeastSquaresSizes& sizes, Index frames, Index replicas,
                                     const ReconOptions& options) {
  LeastSquaresSizes arrays = sizes;
  arrays.transform = arrays.beside = {};
  arrays.between = 0;
  const Index of_bars = options.error_bars.standard_deviation ? problems_of(options, replicas) : 1;
  const Index solved = std::max(of_bars, problems_of_choice(options));
  return {.bytes = bytes_at_peak(sizes, frames, replicas, options),
          .encoding = std::max(sizes.adjoint(frames), sizes.normal(solved * frames)),
          .arrays = bytes_at_peak(arrays, frames, replicas, options)};
}

}  // namespace whorl::recon
