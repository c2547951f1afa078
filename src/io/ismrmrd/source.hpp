// Acquisitions as ISMRMRD has them, wherever they lie: in a file, or in memory as a scanner sent them.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/internal.hpp"
#include "whorl/core/array.hpp"
#include "whorl/io/ismrmrd.hpp"

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

  /// kspace_encode_step_1 or 2.
  Index step(std::size_t axis) const { return axis == 1 ? idx.kspace_encode_step_1 : idx.kspace_encode_step_2; }
  bool flag(int bit) const { return (flags >> static_cast<unsigned>(bit - 1) & 1U) != 0; }
  /// Whether the samples were taken backward.
  bool is_reversed() const;
  /// Number of samples without the discarded ones; negative if the header contradicts itself.
  Index kept() const { return Index{number_of_samples} - discard_pre - discard_post; }
};

/// What is read of an acquisition.
struct AcquisitionParts {
  bool positions = true;
  bool samples = true;

  bool any() const { return positions || samples; }
};

/// Acquisitions that can be asked for.
class AcquisitionSource {
 public:
  AcquisitionSource() = default;
  AcquisitionSource(const AcquisitionSource&) = delete;
  AcquisitionSource& operator=(const AcquisitionSource&) = delete;
  virtual ~AcquisitionSource() = default;

  /// One acquisition: its number, its trajectory [sample, dimension] and its samples [channel, sample], as stored.
  using Visit = std::function<void(Index, std::span<const float>, std::span<const std::complex<float>>)>;
  /// What is read of each acquisition.
  using Wanted = std::function<AcquisitionParts(Index)>;
  /// Calls `visit` for every acquisition of which something is wanted, after checking the lengths against the head: in the
  /// threads of the context, in no order. Parts that are not wanted may be empty; others may be visited too.
  virtual void read_acquisitions(const Context& ctx, const std::vector<AcquisitionHead>& heads, const Wanted& wanted,
                                 const Visit& visit) const = 0;
};

/// A header and its acquisitions.
struct Measurement {
  std::string name;  ///< in messages: the path of a file
  std::string header;
  std::vector<AcquisitionHead> heads;
  std::shared_ptr<const AcquisitionSource> source;
  std::string note{};  ///< on the place where they were found; empty: none
  /// The maps that lie beside them, [coil, z, y, x] for the scan that is read; none: there are no maps.
  std::function<Array<std::complex<float>>(const Scan&)> coil_maps{};
};

/// What header and data say together of a measurement's spaces and positions.
struct SettledReading;

/// What read_ismrmrd does with the acquisitions of a file. Throws as it does. `settled` is for measurements that are read in
/// parts: what the first part settles is kept there, and holds for the others.
WHORL_INTERNAL Scan read_measurement(const Context& ctx, Measurement measurement, const ScanReadOptions& options,
                                     std::shared_ptr<const SettledReading>* settled = nullptr);

/// What read_calibration makes of the acquisitions of a file. Throws as it does.
WHORL_INTERNAL Scan read_calibration(const Context& ctx, Measurement measurement, const ScanReadOptions& options);

}  // namespace whorl::io
