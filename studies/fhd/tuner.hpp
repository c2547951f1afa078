// Tuning of sizes by trial; a file keeps them for the next run.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/timing.hpp"
#include "whorl/core/context.hpp"

namespace whorl::studies::fhd {

/// The sizes of a kernel; 0: it has none of the kind.
struct Tuning {
  int threads = 0;  ///< of a block on a GPU, of all on a CPU
  int chunk = 0;    ///< samples that are read again and again before the next ones
  int unroll = 0;   ///< turns of the loop in one; on a CPU vectors of voxels at a time

  friend bool operator==(const Tuning&, const Tuning&) = default;
};

struct TriedTuning {
  Tuning tuning;
  double ms = 0;
  double spread = 0;  ///< bench::Timing
};

/// What was chosen for a kernel.
struct Search {
  std::string kernel;
  Tuning best;
  std::vector<TriedTuning> trials;  ///< none where the file had sizes
};

/// All combinations: sizes compete for resources, so they are not searched one by one.
std::vector<Tuning> combinations(const std::vector<int>& threads, const std::vector<int>& chunks,
                                 const std::vector<int>& unrolls);

/// study_fhd.json in the folder of a user's caches (the XDG Base Directory specification): $XDG_CACHE_HOME/whorl, or
/// $HOME/.cache/whorl. None where neither is an absolute path.
std::optional<std::filesystem::path> tuning_file();

/// The sizes in a file for a device's kernel; none if there is no such file or it is not readable.
std::optional<Tuning> kept_tuning(const std::filesystem::path& file, const std::string& device,
                                  const std::string& kernel);

/// Stores the sizes in the file and keeps those of other kernels and devices; a damaged file is replaced. Throws IoError.
void keep_tuning(const std::filesystem::path& file, const std::string& device, const std::string& kernel,
                 const Tuning& tuning);

/// Chooses the fastest of many, once for each kernel and device.
class Tuner {
 public:
  /// Without a file nothing is stored. again: searches even if the file has sizes.
  explicit Tuner(std::optional<std::filesystem::path> file, bool again = false)
      : file_(std::move(file)), again_(again) {}

  /// One of the candidates: that of the file, or the one with the least median time.
  Tuning choose(const Context& ctx, const std::string& kernel, const std::vector<Tuning>& candidates,
                const std::function<bench::Timing(const Tuning&)>& time_of);

  /// One for each choice.
  const std::vector<Search>& searches() const { return searches_; }

  /// A sentence: how many were searched, and where the choices are; empty before the first.
  std::string remark() const;

 private:
  std::optional<std::filesystem::path> file_;
  bool again_;
  std::string not_kept_;  ///< the reason
  std::vector<Search> searches_;
};

}  // namespace whorl::studies::fhd
