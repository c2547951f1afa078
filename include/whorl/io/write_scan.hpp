// write_scan: a scan into a file of the format that its name asks for.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "whorl/scan/scan.hpp"

namespace whorl {

/// Writes a scan in the format of the path's extension, or in that of the given name; read_scan gives it back.
///
///   .h5    ismrmrd: ISMRMRD (io/ismrmrd.hpp)
///   .npz   npz: NumPy arrays data [coil, sample] or [frame, coil, sample], trajectory [sample, dim] in cycles per
///   pixel,
///          weights, noise, coil_maps, and the member whorl.json with the rest
///   .cfl   cfl: BART: NAME.cfl (k-space) and beside it NAME_traj.cfl (cycles per field of view), NAME_weights.cfl,
///          NAME_noise.cfl, NAME_maps.cfl; a scan without data is the trajectory alone, under the name itself
///          challenge (by name alone): the HDF5 layout of the ISMRM reproducibility challenge, one frame
///
/// Accuracy  ISMRMRD and BART hold positions as float, the others as double.
/// A scan without data (coils = 0) is a trajectory with or without density weights; every format holds it.
/// Files appear under their names only when they are complete.
/// Throws  ValueError (an extension that is not known), ShapeError, IoError, Cancelled
void write_scan(const Context& ctx, const Scan& scan, const std::filesystem::path& path, std::string_view format = {});

/// Throws ValueError, listing what is known, when scans can not be written under that extension.
void check_scan_extension(const std::filesystem::path& path, std::string_view format = {});

/// ".h5, .npz, .cfl"
std::string scan_extensions();

}  // namespace whorl
