// Noise scans that are remembered from one connection to the next: scanners measure noise once for several measurements.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "serve/noise_scan.hpp"
#include "whorl/core/context.hpp"

namespace whorl::serve {

/// What a header says of its measurement and of those that it depends on.
struct MeasurementLinks {
  std::string id;
  std::vector<std::string> noise;  ///< ids of the measurements whose noise it takes
};

/// Throws IoError naming `source` for a header that is none.
MeasurementLinks parse_links(const std::string& header, const std::string& source);

/// At most so many noise scans, those that were used last: in memory or, with a folder, on the disk, where a later server finds
/// them and others may use them at the same time. A file is whole or not there, also after the end of a process in the middle.
///
/// Threads  any
class NoiseMemory {
 public:
  /// An empty folder name: in memory alone. Throws IoError for a folder that is none.
  NoiseMemory(std::string folder, std::size_t most);

  /// Where the disk can not take it, it is kept in memory, and the reason is given; else that is empty.
  std::string keep(const Context& ctx, const std::string& id, NoiseScan noise);
  /// A copy; without samples where there is none.
  NoiseScan find(const Context& ctx, const std::string& id);

 private:
  std::string path_of(const std::string& id) const;
  void tidy_folder() const;

  std::string folder_;
  std::size_t most_;
  std::mutex guard_;
  std::list<std::pair<std::string, NoiseScan>> kept_;  // what is not on the disk, the last used first
};

}  // namespace whorl::serve
