// The files of Parboil's MRI benchmarks (Stratton et al., "Parboil", IMPACT-12-01, University of Illinois, 2012).
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "whorl/io/array_files.hpp"
#include "whorl/io/convert_options.hpp"

namespace whorl::io {

/// Whether a file's first two numbers and its size are those of mri-q's input: int32 samples K, int32 voxels X, then
/// float32 kx, ky, kz (K each), x, y, z (X each), phiR, phiI (K each).
bool is_mri_q_input(std::span<const unsigned char> start, std::uintmax_t bytes);

/// Arrays kx, ky, kz [sample] in cycles per field of view, x, y, z [voxel] in fields of view, and phi [sample],
/// complex.
std::vector<NamedArray> read_mri_q_input(const Context& ctx, const std::filesystem::path& path);

/// Throws ValueError where an array is missing, ShapeError where lengths differ, IoError, Cancelled.
void write_mri_q_input(const Context& ctx, const std::filesystem::path& path, std::span<const NamedArray> arrays);

/// mri-q's output: uint32 voxels X, then float32 Qr, Qi (X each).
bool is_mri_q_output(std::span<const unsigned char> start, std::uintmax_t bytes);

/// One array Q [voxel], complex.
std::vector<NamedArray> read_mri_q_output(const Context& ctx, const std::filesystem::path& path);

/// Throws ValueError unless there is one complex array; IoError, Cancelled.
void write_mri_q_output(const Context& ctx, const std::filesystem::path& path, std::span<const NamedArray> arrays);

/// True if a text begins like the header of mri-gridding (.uks).
bool is_gridding_header(std::string_view start);

/// mri-gridding: the header .uks and beside it .uks.data, records of float32 real, imaginary, kx, ky, kz, density
/// weight. One coil; the header's kmax is Nyquist of its acquisition matrix, and the image's matrix is its
/// reconstruction matrix. Throws IoError, ValueError.
Scan read_gridding(const Context& ctx, const std::filesystem::path& path);

}  // namespace whorl::io
