// Arrays in files of any format that holds arrays: images, maps, matrices, pictures.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "whorl/io/any_array.hpp"
#include "whorl/scan/affine.hpp"

namespace whorl {

/// An array and what a file says of it. Axes are in C order, the last fastest in memory: an image is [..., z, y, x],
/// whatever the order in which the format writes them down (BART, MATLAB and NIfTI name the fastest first).
struct NamedArray {
  std::string name;  ///< of the variable; the file's name without folder and extension where the format has no names
  AnyArray values;
  std::optional<Affine> affine{};  ///< where the voxels lie, if the file says so
};

/// All arrays of a file; which format it is its content says.
///
///   NumPy .npy, .npz · BART .cfl/.hdr (either name) · MATLAB 4, 5, 7.3 · NIfTI-1/2 (with its scaling) · ISMRMRD images
///   · plain HDF5 datasets · Parboil's mri-q .bin and .out · pictures: BMP, JPEG, PNG, PNM, TIFF (gray [y, x], color
///   [channel, y, x], values 0..255 or 0..65535, of PNM as stored)
///
/// Integers become float32 where that holds them exactly (up to 16 bits) and float64 else. Axes of extent 1 that the
/// format pads with (BART) are dropped from the front.
///
/// Numbers may be anything, non-finite ones too.
/// Throws  IoError (missing, damaged or foreign file; it names what was expected and found), Unsupported (a format that
///         this build can not read, or that holds a scan), Cancelled
std::vector<NamedArray> read_arrays(const Context& ctx, const std::filesystem::path& path);

/// One array of finite numbers: "FILE" where the file holds a single one, "FILE:NAME" else. Throws as read_arrays, and
/// ValueError for a number that is not finite, or, listing the names, where there is no such array or the choice is
/// open.
NamedArray read_array(const Context& ctx, const std::string& file_and_name);

/// Writes arrays in the format of the path's extension: .npy, .nii, .nii.gz, .cfl, .bin and .out of Parboil's mri-q
/// (one array each, but for .bin, which takes kx, ky, kz, x, y, z and phi), .npz, .h5 (any number); or in the format of
/// the given name (npy, npz, cfl, nifti, hdf5, mri-q-input, mri-q-output). BART has complex64 and Parboil float32 only:
/// other types are converted. The file appears under its name only when it is complete.
/// Throws  ValueError (an extension that is not known or holds one array only, names that repeat), ShapeError (more
///         axes than the format has), IoError, Cancelled
void write_arrays(const Context& ctx, const std::filesystem::path& path, std::span<const NamedArray> arrays,
                  std::string_view format = {});

/// One array without a name of its own.
void write_array(const Context& ctx, const std::filesystem::path& path, const NamedArray& array);

/// Throws ValueError, listing what is known, when arrays can not be written under that extension.
void check_array_extension(const std::filesystem::path& path, std::string_view format = {});

/// ".npy, .npz, .cfl, ...": those of the formats in which arrays are written.
std::string array_extensions();

}  // namespace whorl
