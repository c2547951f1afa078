// write_scan: a scan into a file of the format that its name asks for.
#pragma once

#include <filesystem>
#include <string>

#include "whorl/io/scan.hpp"

namespace whorl {

/// Writes a scan in the format of the path's extension; read_scan gives it back.
///
///   .h5    ISMRMRD (io/ismrmrd.hpp)
///   .npz   NumPy arrays data, trajectory, weights, noise, ... (io/npz.hpp)
///   .cfl   BART: PATH (k-space), and beside it *_traj.cfl, *_weights.cfl, *_noise.cfl, *_coils.cfl
///
/// A scan without data (coils = 0) is a trajectory with or without density weights; every format holds it.
/// Files appear under their names only when they are complete.
/// Throws  ValueError (an extension that is not known), ShapeError, IoError, Cancelled
void write_scan(const Context& ctx, const Scan& scan, const std::filesystem::path& path);

/// Throws ValueError, listing what is known, when scans can not be written under that extension.
void check_scan_extension(const std::filesystem::path& path);

/// ".h5, .npz, .cfl"
std::string scan_extensions();

}  // namespace whorl
