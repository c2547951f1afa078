// All threads work: no two voxels share a sum, so that the voxels are cut into pieces, each of which any thread
// may take.
#include "studies/mri_q/cpu/wide_vectors.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::studies::mri_q {

void threads(const Context& ctx, const Problem& problem, ArrayRef<float> q, int vectors) {
  constexpr Index piece = 1024;
  const Pointers in = pointers_of(problem);
  const std::vector<VectorSample> samples = vector_samples(in);
  const Index pieces = divide_up(in.voxels, piece);
#pragma omp parallel for schedule(dynamic) num_threads(ctx.threads())
  for (Index n = 0; n < pieces; ++n) {
    const Index first = n * piece;
    const Index end = std::min(first + piece, in.voxels);
    sum_vectors({samples.data(), in.samples, {in.x, in.y, in.z}, q.data(), q.data() + in.voxels, first, end}, vectors);
  }
}

}  // namespace whorl::studies::mri_q
