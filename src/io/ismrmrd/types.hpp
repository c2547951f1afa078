// HDF5 types of ISMRMRD's table of acquisitions, and reading of its variable-length members.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

#include "io/hdf5/handle.hpp"
#include "whorl/core/view.hpp"

namespace whorl::io {

/// Why a file's type cannot be read as an ISMRMRD acquisition; empty if it can.
std::string acquisition_type_fault(hid_t file_type);

/// Memory type that reads an AcquisitionHead.
Hdf5Handle acquisition_head_type();

/// The variable-length members of an acquisition as HDF5 gives them.
struct AcquisitionSamples {
  hvl_t traj{0, nullptr};
  hvl_t data{0, nullptr};
};

/// Memory type that reads an AcquisitionSamples from that file type.
Hdf5Handle acquisition_samples_type(hid_t file_type);

/// True if samples are stored as pairs of numbers (the length counts numbers), false for complex compounds.
bool samples_are_floats(hid_t file_type);

/// True if trajectory and samples are lists of little-endian float32, alone or in pairs, whose bytes need no conversion.
bool acquisition_lists_are_plain(hid_t file_type);

/// Reads variable-length members; rejects lengths that the file cannot hold.
class VariableLengthGuard {
 public:
  explicit VariableLengthGuard(std::uintmax_t file_size);

  /// Acquisitions [first, first + count); no elements on failure.
  std::vector<AcquisitionSamples> read(hid_t table, hid_t type, Index first, Index count) const;

 private:
  std::uintmax_t file_size_;
  Hdf5Handle transfer_;
};

/// Frees what VariableLengthGuard::read gave.
class VariableLengthRelease {
 public:
  explicit VariableLengthRelease(const std::vector<AcquisitionSamples>& samples) : samples_(samples) {}
  ~VariableLengthRelease();
  VariableLengthRelease(const VariableLengthRelease&) = delete;
  VariableLengthRelease& operator=(const VariableLengthRelease&) = delete;

 private:
  const std::vector<AcquisitionSamples>& samples_;
};

}  // namespace whorl::io
