// Arrays (images, maps, matrices, pictures) in files of any format that holds arrays.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "whorl/io/any_array.hpp"
#include "whorl/scan/affine.hpp"

namespace WHORL_PUBLIC whorl {

/// An array with its name and position from a file. Axes are in C order, the last fastest in memory: an image is
/// [..., z, y, x], also from formats that name the fastest axis first (BART, MATLAB, NIfTI).
struct NamedArray {
  std::string name;  ///< of the variable; in formats without names: the file's name without folder and extension
  AnyArray values;
  std::optional<Affine> affine{};  ///< position of the voxels, if the file has it
  std::string fault{};             ///< why its numbers can not be had; `values` are none then. Empty: they are there
};

/// Throws IoError for an array with a fault.
void check_readable(const NamedArray& array);

/// All arrays of a file. The format is recognized by its content:
///
///   NumPy .npy, .npz · BART .cfl/.hdr (either name) · MATLAB 4, 5, 7.3 · NIfTI-1/2 (with its scaling) · DICOM · ISMRMRD images
///   · plain HDF5 datasets · Parboil's mri-q .bin and .out · pictures: BMP, JPEG, PNG, PNM, TIFF (gray [y, x], color
///   [channel, y, x], values 0..255 or 0..65535, of PNM as stored)
///
/// Integers of up to 16 bits become float32, longer ones float64. Padding axes of extent 1 (BART) are dropped from the
/// front.
///
/// Values may be NaN or infinite. One array of several that can not be read (damaged, never written, with integers of
/// which float64 loses digits) does not keep the others from being read: it has a fault.
/// Throws  IoError (missing or damaged file, another format, no array that can be read; it names what was expected and
///         found), Unsupported (a format that this build cannot read, or that holds a scan), Cancelled
std::vector<NamedArray> read_arrays(const Context& ctx, const std::filesystem::path& path);

/// One array of finite values: "FILE" for a file with a single array, else "FILE:NAME". Throws as read_arrays, IoError
/// for an array with a fault, and ValueError for a value that is not finite, or, listing the names, for a name that is missing or unknown.
NamedArray read_array(const Context& ctx, const std::string& file_and_name);

/// Writes arrays in the format of the path's extension: .npy, .nii, .nii.gz, .cfl, .bin and .out of Parboil's mri-q
/// (one array each; .bin takes kx, ky, kz, x, y, z and phi), .npz, .h5 (any number). `format` names another format:
/// npy, npz, cfl, nifti, hdf5, mri-q-input or mri-q-output. BART stores only complex64 and Parboil only float32; other
/// types are converted. The file appears under its name only when it is complete.
/// Throws  ValueError (an unknown extension, several arrays for a format of one, repeated names, a value that is not
///         finite, or too large or too small for the type that is stored), ShapeError (more axes than the format has),
///         IoError, Cancelled
void write_arrays(const Context& ctx, const std::filesystem::path& path, std::span<const NamedArray> arrays,
                  std::string_view format = {});

/// write_arrays for one array, whose name is not used.
void write_array(const Context& ctx, const std::filesystem::path& path, const NamedArray& array);

/// Throws ValueError, listing the known extensions, if arrays cannot be written with this one.
void check_array_extension(const std::filesystem::path& path, std::string_view format = {});

/// ".npy, .npz, .cfl, ...": the extensions for writing arrays.
std::string array_extensions();

}  // namespace whorl
