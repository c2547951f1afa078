// Conversion of files that do not describe themselves to scans.
#pragma once

#include <filesystem>
#include <vector>

#include "whorl/io/convert_options.hpp"
#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Converts files to a scan. Their layout is recognized by their content.
///
/// Arrays     files of any format that holds arrays (io/array_files.hpp), which together have data and trajectory: one
///            MATLAB file, two of BART, .npy files. Arrays of formats without names have the name of their file. A
///            trajectory alone makes a scan without data. Data alone are Cartesian, with k = 0 at floor(N/2) of each
///            axis; samples that are 0 in all coils count as not measured. Small arrays of usual names (matrix, mtx,
///            nx and ny, fov, dwell, te) give what the options leave open.
/// Challenge  the HDF5 layout of the ISMRM reproducibility challenge; its Coils may give the matrix.
/// Pulseq     one sequence (io/pulseq.hpp), whose trajectory is that of the matrix; it says all else but the kind. A
///            field of view of 0 is that of the sequence.
/// Raw        little-endian files without header. The first is the trajectory: for each sample the float32 values of
///            `trajectory_columns`. Each further file is a receive coil: complex64 samples in the order of the
///            trajectory, all of repetition 0, then all of repetition 1 and so on. The size of the files gives the
///            number of repetitions.
///
/// Weights of the source are kept. Scan::notes states how the files were interpreted.
/// Throws  IoError (files), ValueError (options, non-finite values, ambiguous axes or unit), ShapeError (sizes that do
///         not fit each other), Unsupported (MATLAB files in a build without matio)
Scan convert_scan(const Context& ctx, const std::vector<std::filesystem::path>& inputs, const ConvertOptions& stated);

/// Whether the arrays in these files say that they are k-space: data and a trajectory by their names or shapes, or data called ksp,
/// kspace, kdata or rawdata. Throws as read_arrays.
bool holds_k_space(const Context& ctx, const std::vector<std::filesystem::path>& inputs);

}  // namespace whorl
