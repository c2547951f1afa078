// An ISMRMRD file on the disk. ISMRMRD's own Dataset class is not used for reading: it opens files for writing, opens
// the table once per acquisition, and copies the number of samples in an acquisition's header without checking how many
// there are.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/hdf5/handle.hpp"
#include "io/hdf5/links.hpp"
#include "whorl/core/context.hpp"

namespace whorl::io {

/// The counters of an acquisition, by ISMRMRD's names.
struct AcquisitionCounters {
  std::uint16_t kspace_encode_step_1 = 0;
  std::uint16_t kspace_encode_step_2 = 0;
  std::uint16_t average = 0;
  std::uint16_t slice = 0;
  std::uint16_t contrast = 0;
  std::uint16_t phase = 0;
  std::uint16_t repetition = 0;
  std::uint16_t set = 0;
  std::uint16_t segment = 0;
};

/// The members of ISMRMRD's acquisition header that a reconstruction needs, by ISMRMRD's names.
struct AcquisitionHead {
  std::uint64_t flags = 0;
  std::uint16_t number_of_samples = 0;
  std::uint16_t active_channels = 0;
  std::uint16_t discard_pre = 0;
  std::uint16_t discard_post = 0;
  std::uint16_t center_sample = 0;
  std::uint16_t encoding_space_ref = 0;
  std::uint16_t trajectory_dimensions = 0;
  float sample_time_us = 0;
  std::array<float, 3> position{};
  std::array<float, 3> read_dir{};
  std::array<float, 3> phase_dir{};
  std::array<float, 3> slice_dir{};
  AcquisitionCounters idx;

  bool flag(int bit) const { return (flags >> static_cast<unsigned>(bit - 1) & 1U) != 0; }
  /// Number of samples without the discarded ones; negative if the header contradicts itself.
  Index kept() const { return Index{number_of_samples} - discard_pre - discard_post; }
};

/// What is read of an acquisition.
struct AcquisitionParts {
  bool positions = true;
  bool samples = true;

  bool any() const { return positions || samples; }
};

class IsmrmrdFile {
 public:
  /// Opens the file for reading and finds the group. Throws IoError.
  IsmrmrdFile(const std::filesystem::path& path, const std::string& group);
  ~IsmrmrdFile();

  /// The group that the scan is in.
  const std::string& group() const { return group_; }

  /// A note if another group than the requested one is read; else empty.
  const std::string& group_note() const { return group_note_; }

  std::string read_xml() const;
  std::vector<AcquisitionHead> read_heads() const;

  /// One acquisition: its number, its trajectory [sample, dimension] and its samples [channel, sample], as stored.
  using Visit = std::function<void(Index, std::span<const float>, std::span<const std::complex<float>>)>;
  /// What is read of each acquisition.
  using Wanted = std::function<AcquisitionParts(Index)>;
  /// Calls `visit` for every acquisition of which something is wanted, after checking the lengths against the head: in the
  /// threads of the context, in no order. Parts that are not wanted may be empty; others may be visited too.
  void read_acquisitions(const Context& ctx, const std::vector<AcquisitionHead>& heads, const Wanted& wanted,
                         const Visit& visit) const;

  /// Throws IoError: file, what failed, HDF5's reason.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  struct Raw;

  bool exists(const std::string& path) const;
  bool holds_scan(const std::string& group) const;
  Hdf5Handle open(const std::string& name) const;
  std::string find_group(const std::string& wanted);
  void find_home();
  void open_table();
  void check_lengths(Index number, const AcquisitionHead& head, std::uint64_t samples, std::uint64_t positions) const;
  void read_raw(const Context& ctx, Index first, Index count, const std::vector<AcquisitionHead>& heads,
                const Wanted& wanted, const Visit& visit) const;
  void read_by_hdf5(const Context& ctx, Index first, Index count, const std::vector<AcquisitionHead>& heads,
                    const Wanted& wanted, const Visit& visit) const;

  std::filesystem::path path_;
  std::filesystem::path home_;  // the file that the table is in: another one behind an external link
  std::uintmax_t file_size_ = 0;
  Hdf5ErrorTrap trap_;  // before the handles: closing must not print either
  Hdf5Links links_;
  Hdf5Handle file_;
  std::string group_;
  std::string group_note_;
  Hdf5Handle table_;
  Hdf5Handle table_type_;
  Index count_ = 0;
  std::unique_ptr<const Raw> raw_;  // none where only HDF5 can read the table
};

}  // namespace whorl::io
