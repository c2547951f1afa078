// What small arrays beside the data say: matrix, field of view, sample time, echo times.
#pragma once

#include "io/convert/array_inputs.hpp"
#include "whorl/core/note.hpp"

namespace whorl::io {

/// Takes the matrix, the field of view and the sample time that the options leave open from arrays of usual names
/// (matrix, mtx_reco, nx and ny; fov, fov_mm; dwell, dwell_us), and says so in the notes. A matrix of one number is
/// square, and a cube for a trajectory that says kz, which `is_3d` asks. Numbers whose unit can not be told are left out.
void use_file_facts(const Context& ctx, const ArrayInputs& inputs, bool is_3d, ConvertOptions& options, Notes& notes);

/// Echo times in ms of an array of a usual name (te, echo_times, te_ms), whose name goes to `name`. Empty: there is none, or one whose
/// unit can not be told: milliseconds unless all are below 0.3, which are seconds, or one is 1000 or more, which are microseconds. The longest of several between 0.3 and 1 does not tell.
std::vector<double> find_echo_times(const Context& ctx, const ArrayInputs& inputs, std::string& name);

/// Takes the echo times that the options leave open from the arrays. Before the axes, since they count the contrasts.
void use_echo_times(const Context& ctx, const ArrayInputs& inputs, ConvertOptions& options, Notes& notes);

/// Gives the scan its echo times; those of a file that are not one for each contrast are left out, with a note.
/// Throws ValueError for such times in the options, `stated`.
void set_echo_times(Scan& scan, const std::vector<double>& times, const ConvertOptions& stated);

}  // namespace whorl::io
