// An ISMRMRD file on the disk. ISMRMRD's own Dataset class is not used for reading: it opens files for writing, opens
// the table once per acquisition, and copies the number of samples in an acquisition's header without checking how many
// there are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/internal.hpp"
#include "io/hdf5/handle.hpp"
#include "io/hdf5/links.hpp"
#include "io/ismrmrd/source.hpp"
#include "whorl/core/context.hpp"

namespace whorl::io {

class WHORL_INTERNAL IsmrmrdFile : public AcquisitionSource {
 public:
  /// Opens the file for reading and finds the group. Throws IoError.
  IsmrmrdFile(const std::filesystem::path& path, const std::string& group);
  ~IsmrmrdFile() override;

  /// The group that the scan is in.
  const std::string& group() const { return group_; }

  /// A note if another group than the requested one is read; else empty.
  const std::string& group_note() const { return group_note_; }

  std::string read_xml() const;
  std::vector<AcquisitionHead> read_heads() const;

  void read_acquisitions(const Context& ctx, const std::vector<AcquisitionHead>& heads, const Wanted& wanted,
                         const Visit& visit) const override;

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
