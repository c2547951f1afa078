// One encoding in the XML header of an ISMRMRD file.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/internal.hpp"
#include "whorl/core/note.hpp"
#include "whorl/io/measurement_facts.hpp"
#include "whorl/io/trajectory_columns.hpp"
#include "whorl/io/trajectory_unit.hpp"

namespace whorl::io {

/// The array of coil maps beside the acquisitions, [coil, z, y, x] after a leading axis of 1 by ISMRMRD.
inline constexpr const char* coil_maps_variable = "coil_maps";

/// Names of the user parameters in which write_ismrmrd states the unit and columns of the trajectory.
inline constexpr const char* unit_parameter = "trajectory_unit";
inline constexpr const char* columns_parameter = "trajectory_columns";
inline constexpr const char* kind_parameter = "trajectory_kind";  ///< a kind that ISMRMRD has no name for

struct EncodingHeader {
  EncodedGrid encoded;
  std::array<Index, 3> matrix{1, 1, 1};             ///< of the image to be made; z = 1 in 2D
  std::array<double, 3> field_of_view_mm{0, 0, 0};  ///< of the image to be made
  std::array<double, 3> pixel_ratio{1, 1, 1};       ///< pixel size of the image over that of the encoding
  std::string trajectory_kind;                      ///< by ISMRMRD's names
  std::string system;                               ///< vendor and model
  double repetition_time_ms = 0;                    ///< the first of the sequence's; 0: unknown
  std::vector<double> echo_times_ms;
  TrajectoryUnit unit = TrajectoryUnit::automatic;  ///< as the user parameter says
  TrajectoryColumns columns = TrajectoryColumns::automatic;
  std::optional<Index>
      center_0;  ///< the sample of lines at kx = 0, in place of their center_sample: settle_spaces finds it
  std::optional<Index> center_1;  ///< kspace_encode_step_1 at ky = 0
  std::optional<Index> steps_1;   ///< of kspace_encode_step_1, from 0
  std::optional<Index> center_2;  ///< kspace_encode_step_2 at kz = 0
  Notes notes;

  int dim() const { return matrix[2] > 1 ? 3 : 2; }
};

/// What the header says of the scanner and the sequence. Throws IoError naming the file for a header that is none.
WHORL_INTERNAL MeasurementFacts parse_facts(const std::string& header_text, const std::string& file);

/// Parses the header; matrices and fields of view are as it says, for settle_spaces. Throws IoError naming the file for a header that is none, ValueError for a missing encoding.
WHORL_INTERNAL EncodingHeader parse_header(const std::string& header_text, int encoding, const std::string& file);

}  // namespace whorl::io
