// The images of the echoes that a field map is made from.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "whorl/core/array.hpp"
#include "whorl/core/note.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/recon/options.hpp"
#include "whorl/scan/affine.hpp"

namespace whorl::cli {

struct EchoImages {
  Array<std::complex<float>> images;  ///< [echo, coil, (z,) y, x], one coil; slices in the order of their places
  std::optional<Affine> affine;
  std::vector<std::pair<std::string, double>> stage_seconds;
  Notes notes;
};

/// True if the file holds a scan.
bool is_scan(const std::string& file);

/// The given echo times, or else those that the files of the images say, which a note then tells. Throws ValueError where there
/// are none.
std::vector<double> settle_times(const Context& ctx, const std::vector<double>& given,
                                 const std::vector<std::string>& files, Notes& notes);

/// Reads complex images from files: one with all echoes [echo, (z,) y, x], or one file for each echo. `times` of none become those
/// of the files.
/// Throws  ShapeError (other shapes, another number of echoes), ValueError (real values, unknown times), and as read_array
EchoImages read_echoes(const Context& ctx, const std::vector<std::string>& files, std::vector<double>& times);

/// Reconstructs scans: their frames together, with the coil maps of the first echo, so that its phases are those of all. `times` of
/// none become those that the scans say.
/// Throws  ShapeError (scans of different matrix or coils), ValueError (another number of echoes, slices that form no regular
///         stack), and as read_scan and reconstruct
EchoImages reconstruct_echoes(const Session& session, const std::vector<std::string>& files, std::vector<double>& times,
                              const ScanReadOptions& read, const ReconOptions& options);

}  // namespace whorl::cli
