// What small arrays beside the data say: matrix, field of view, sample time, echo times.
#pragma once

#include "io/convert/array_inputs.hpp"
#include "whorl/core/note.hpp"

namespace whorl::io {

/// Takes the matrix, the field of view and the sample time that the options leave open from arrays of usual names
/// (matrix, mtx_reco, nx and ny; fov, fov_mm; dwell, dwell_us), and says so in the notes. A matrix of one number is
/// square, and a cube for a trajectory that says kz, which `is_3d` asks. Numbers whose unit can not be told are left out.
void use_file_facts(const Context& ctx, const ArrayInputs& inputs, bool is_3d, ConvertOptions& options, Notes& notes);

}  // namespace whorl::io
