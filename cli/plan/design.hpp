// A trajectory by the words of whorl traj.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::cli {

class TrajectoryDesign {
 public:
  /// `words` are those behind `whorl traj`: "radial", "--matrix", "64". Refuses what the command refuses.
  explicit TrajectoryDesign(const std::vector<std::string>& words);

  Scan make(const Session& session) const;

 private:
  struct Parsed;
  std::shared_ptr<Parsed> parsed_;
};

/// An option of a design and the values that it takes one after another.
struct SweptOption {
  std::string name;
  std::vector<std::string> values;
};

/// "spokes=16,32,64" or, for several that change together, "spokes=16,32,readout=64,32". Refuses other forms.
std::vector<SweptOption> swept_options(const std::string& list);

}  // namespace whorl::cli
