// Parts of a scan that are reconstructed, for the time that their stages take.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "recon/rehearsal/count_iterations.hpp"
#include "recon/rehearsal/smaller_scan.hpp"
#include "recon/rehearsal/stage_work.hpp"
#include "whorl/recon/rehearsal.hpp"

namespace whorl::recon {

using StageSpeeds = std::vector<std::pair<std::string, StageSpeed>>;

/// How parts are chosen and reconstructed.
struct Rehearsed {
  double seconds = 0;         ///< of a solver, by its model
  bool counts_apart = false;  ///< iterations of an image of the whole's size, too
  std::function<Excerpt(double seconds, double least)> excerpt;
  std::function<Workload(const Scan&)> work;
  /// Plans the reconstruction of a part, with fewer iterations or all, and returns what does it.
  std::function<std::function<Reconstruction()>(std::shared_ptr<Scan>, int iterations)> ready;
  /// What a solver takes of a smaller image that is as hard to solve for, after the first part was reconstructed.
  std::function<IterationCount(const Excerpt&, const Reconstruction&)> count;
};

struct Measured {
  Workload work;
  std::vector<std::pair<std::string, double>> seconds;
  Reconstruction made;

  double seconds_of(const std::string& stage) const;
};

/// Two or three parts of a scan.
struct Parts {
  Excerpt smallest;
  Excerpt largest;
  bool counts = false;  ///< iterations of the whole are to be counted apart
  std::vector<Measured> runs{};

  StageSpeeds speeds() const;
};

/// The first run has all iterations if the part has the size of the whole.
Parts measure_parts(const Context& ctx, const Scan& scan, int iterations, const Rehearsed& what);

}  // namespace whorl::recon
