// Numeric datasets of any HDF5 file as arrays.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/hdf5/handle.hpp"
#include "io/hdf5/links.hpp"
#include "whorl/io/array_files.hpp"

namespace whorl::io {

/// An HDF5 file open for reading.
class Hdf5File {
 public:
  /// Throws IoError (missing, damaged or no HDF5 file).
  explicit Hdf5File(const std::filesystem::path& path);

  /// Paths of all numeric datasets, such as "dataset/image_0/data", in the order of their names. Those behind soft and
  /// external links are left out.
  std::vector<std::string> list_datasets() const;

  /// Names in the root group.
  std::vector<std::string> list_root() const;

  bool has(const std::string& name) const;

  hid_t id() const { return file_.get(); }

  /// Reads a dataset of exactly `count` compounds as `memory_type`; false if there is no such dataset.
  bool read_table(const std::string& name, hid_t memory_type, std::size_t count, void* to) const;

  /// A dataset of integers, floats or complex numbers (a compound of two equal floats, as h5py and Julia write them), C
  /// order. Types become those of AnyArray as read_arrays says (io/array_files.hpp). The size is checked against the
  /// file's before memory is taken; elements that were never written are an error. The attribute "affine" (3 x 4 numbers), which write_hdf5 writes, becomes the
  /// affine. Throws IoError.
  NamedArray read(const Context& ctx, const std::string& name) const;

  /// The text of a dataset that is one string of fixed length; empty if there is none.
  std::string read_text(const char* name) const;

 private:
  [[noreturn]] void fail(const std::string& what) const;
  /// A data set whose numbers are all there; invalid if there is none of that name. Throws IoError.
  Hdf5Handle open(const std::string& name) const;

  std::filesystem::path path_;
  std::uintmax_t file_size_ = 0;
  Hdf5ErrorTrap trap_;  // before the handles: closing must not print either
  Hdf5Links links_;
  Hdf5Handle file_;
};

/// True for a dataset whose elements Hdf5File::read takes.
bool is_numeric_dataset(hid_t dataset);

/// The name of the dataset (a text) in which a scan's header lies (io/scans/scan_arrays.hpp).
inline constexpr const char* scan_header_dataset = "whorl";

/// Writes each array as a dataset of its name in the root group, complex numbers as compounds {r, i}, and a non-empty
/// header as the text `scan_header_dataset`. The file is made in memory (one copy of the arrays) and appears
/// under its name only when it is complete. Throws IoError, Cancelled.
void write_hdf5(const Context& ctx, const std::filesystem::path& path, std::span<const NamedArray> arrays,
                const std::string& header);

}  // namespace whorl::io
