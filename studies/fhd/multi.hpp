// The chapter's GPU.Multi: the voxels of F^H d and of Q divided among the GPUs of a host.
#pragma once

#include "studies/fhd/rungs.hpp"

namespace whorl::studies::fhd {

/// The devices of a kind that share the work: all GPUs of the machine, the context's own first; on a CPU contexts of one
/// thread each, as many as the context has threads.
std::vector<Context> workers_of(const Context& ctx);

/// A scan whose voxels are divided among some workers, each of which has all samples and a part of the voxels.
class SharedSums {
 public:
  SharedSums(std::span<const Context> workers, const Scan& scan);

  /// All workers at the same time; returns when the last one is done.
  void run(const Step<float>& step);
  /// The sums of all voxels, on the host.
  Array<std::complex<double>> result() const;

 private:
  struct Part {
    Context ctx;
    Problem<float> problem;
    Array<float> sums;  ///< [2, voxel]
  };
  std::vector<Part> parts_;
};

/// The scan of Q: the same samples, 1 for Phi and d, and twice the voxels along each axis.
Scan scan_of_q(const Scan& scan);

/// F^H d and Q by 1, 2, ... of the workers with a step that any part of the voxels can be given: times, gains over one
/// worker, errors against double precision.
Table multi_table(const Context& ctx, const std::string& name, const Trial& trial, const Step<float>& step);

}  // namespace whorl::studies::fhd
