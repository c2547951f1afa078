// write_scan: writes a scan in the format of the file's extension.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Writes a scan in the format of the path's extension, or in the format that `format` names; read_scan reads it back.
///
///   .h5    ismrmrd: ISMRMRD (io/ismrmrd.hpp)
///   .npz   npz: NumPy arrays data [coil, sample] or [frame, coil, sample], trajectory [sample, dim] in cycles per
///          pixel, weights, noise, coil_maps, and the member whorl.json with the rest
///   .cfl   cfl: BART: NAME.cfl (k-space) and beside it NAME_traj.cfl (cycles per field of view), NAME_weights.cfl,
///          NAME_noise.cfl, NAME_maps.cfl; for a scan without data, only the trajectory as NAME.cfl
///          challenge (only by name): the HDF5 layout of the ISMRM reproducibility challenge, one frame
///
/// Every format can hold a scan without data (coils = 0), a trajectory with or without density weights. Files appear
/// under their names only when they are complete.
///
/// Accuracy  ISMRMRD and BART store positions as float, the others as double
/// Throws    ValueError (an unknown extension), ShapeError, IoError, Cancelled
void write_scan(const Context& ctx, const Scan& scan, const std::filesystem::path& path, std::string_view format = {});

/// Throws ValueError, listing the known extensions, if scans cannot be written with this one.
void check_scan_extension(const std::filesystem::path& path, std::string_view format = {});

/// ".h5, .npz, .cfl"
std::string scan_extensions();

}  // namespace whorl
