// Sizes that are tried out, and kept in a file for the next run.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "whorl/core/context.hpp"

namespace whorl::studies::fhd {

/// What a kernel is run with.
struct Tuning {
  int threads = 0;  ///< of a block on a GPU, of all on a CPU
  int chunk = 0;    ///< samples that are read again and again before the next ones
  int unroll = 0;   ///< turns of the loop in one; on a CPU vectors of voxels at a time

  friend bool operator==(const Tuning&, const Tuning&) = default;
};

/// Every combination: one size may take the room of another, so that they are not searched one by one.
std::vector<Tuning> combinations(const std::vector<int>& threads, const std::vector<int>& chunks,
                                 const std::vector<int>& unrolls);

/// study_fhd.json in the folder of a user's caches (the XDG Base Directory specification): $XDG_CACHE_HOME/whorl, or
/// $HOME/.cache/whorl. None where neither is an absolute path.
std::optional<std::filesystem::path> tuning_file();

/// What a file keeps for a device; none where there is no such file, or nothing in it that can be understood.
std::optional<Tuning> kept_tuning(const std::filesystem::path& file, const std::string& device);

/// Keeps it in the file, beside what that has for other devices; a damaged file is replaced. Throws IoError.
void keep_tuning(const std::filesystem::path& file, const std::string& device, const Tuning& tuning);

/// Chooses the fastest of many, once for each device.
class Tuner {
 public:
  /// Without a file nothing is kept. again: whatever the file has, it is searched.
  explicit Tuner(std::optional<std::filesystem::path> file, bool again = false)
      : file_(std::move(file)), again_(again) {}

  /// One of the candidates: that of the file, or the one for which ms_of gives the least.
  Tuning choose(const Context& ctx, const std::vector<Tuning>& candidates,
                const std::function<double(const Tuning&)>& ms_of);

  /// What was chosen, and how: a sentence; empty before.
  const std::string& remark() const { return remark_; }

 private:
  std::optional<std::filesystem::path> file_;
  bool again_;
  std::string remark_;
};

}  // namespace whorl::studies::fhd
