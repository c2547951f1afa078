// The images of an ISMRMRD file as arrays.
#pragma once

#include <filesystem>
#include <vector>

#include "whorl/io/array_files.hpp"

namespace whorl::io {

/// True if an HDF5 file has a group with ISMRMRD's header (xml) or a series of images (image_0, ...).
bool holds_ismrmrd(const std::filesystem::path& path);

/// True if a group has the header and the acquisitions of a scan.
bool holds_acquisitions(const std::filesystem::path& path);

/// All numeric datasets. A series of images, stored as [image, channel, z, y, x], loses axes of extent 1 from the front
/// and a channel axis of extent 1. It gets the affine of its headers if they agree. Throws IoError, Unsupported (a file
/// with acquisitions only: it holds a scan), Cancelled.
std::vector<NamedArray> read_ismrmrd_arrays(const Context& ctx, const std::filesystem::path& path);

}  // namespace whorl::io
