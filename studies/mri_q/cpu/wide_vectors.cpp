#include "studies/mri_q/cpu/wide_vectors.hpp"

namespace whorl::studies::mri_q {

std::vector<VectorSample> vector_samples(const Pointers& in) {
  const std::vector<float> phi = phi_magnitudes<float>(in);
  std::vector<VectorSample> samples(phi.size());
  for (std::size_t j = 0; j < samples.size(); ++j) {
    samples[j] = {2 * in.kx[j], 2 * in.ky[j], 2 * in.kz[j], phi[j]};
  }
  return samples;
}

void wide_vectors(const Context& /*ctx*/, const Problem& problem, ArrayRef<float> q, int vectors) {
  const Pointers in = pointers_of(problem);
  const std::vector<VectorSample> samples = vector_samples(in);
  sum_vectors({samples.data(), in.samples, {in.x, in.y, in.z}, q.data(), q.data() + in.voxels, 0, in.voxels}, vectors);
}

}  // namespace whorl::studies::mri_q
