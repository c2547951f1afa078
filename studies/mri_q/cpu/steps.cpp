#include "studies/mri_q/steps.hpp"
#include "studies/mri_q/cpu/kernels.hpp"

namespace whorl::studies::mri_q {

namespace {

// A step is run six times or more: some tenths of a second each for a call of the standard library a term, for vectors
// on one thread, and on all.
constexpr double most_calls = 2e6;
constexpr double most_vectors = 4e7;
constexpr double most_on_threads = 5e8;

}  // namespace

std::vector<QStep> host_steps(int vectors) {
  return {
      {"double precision", double_loops, {}, most_calls},
      {"single precision", single_loops, {}, most_calls},
      {"samples in the outer loop", samples_outside, {}, most_calls},
      {"sine and cosine as polynomials", polynomials, {}, most_vectors},
      {"tiles of voxels", tiles_of_voxels, {}, most_vectors},
      {"the widest vectors, Q in registers",
       [](const Context& ctx, const Problem& problem, ArrayRef<float> q) { wide_vectors(ctx, problem, q, 1); },
       {},
       most_vectors},
      {"several vectors at a time",
       [vectors](const Context& ctx, const Problem& problem, ArrayRef<float> q) {
         wide_vectors(ctx, problem, q, vectors);
       },
       {},
       most_vectors},
      {"all threads",
       [vectors](const Context& ctx, const Problem& problem, ArrayRef<float> q) { threads(ctx, problem, q, vectors); },
       {},
       most_on_threads},
  };
}

Tuning host_tuning() { return {"vectors at a time", {1, 2, 3, 4, 8}, wide_vectors, most_vectors}; }

}  // namespace whorl::studies::mri_q
