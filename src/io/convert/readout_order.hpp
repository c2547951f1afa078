// Whether data and trajectory list readouts and shots in the same order, where there are as many of both.
#pragma once

#include "io/convert/labeled_array.hpp"

namespace whorl::io {

enum class ReadoutOrder {
  same,
  data_swapped,        ///< what counts as the readouts of the data are its shots
  trajectory_swapped,  ///< what counts as the readouts of the trajectory are its shots
};

/// By the first frame of both: the energy of an object is near k = 0. Other than `same` only where the data are far nearer to it
/// then.
ReadoutOrder readout_order(const LabeledArray& data, const LabeledArray& positions, bool complex_positions);

}  // namespace whorl::io
