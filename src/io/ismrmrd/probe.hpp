// Readouts that are read ahead of the others, to find out by the data what a header leaves open or has wrong.
#pragma once

#include <array>
#include <complex>
#include <string>
#include <vector>

#include "io/ismrmrd/header.hpp"
#include "io/ismrmrd/plan.hpp"
#include "io/ismrmrd/source.hpp"

namespace whorl::io {

/// Acquisitions that are sorted, with the name of their file for messages.
struct SortedFile {
  const AcquisitionSource& file;
  const std::vector<AcquisitionHead>& heads;
  const AcquisitionPlan& plan;
  const std::string& source;

  const AcquisitionHead& head(Index number) const { return heads[static_cast<std::size_t>(number)]; }
  /// The numbers of all acquisitions of an image.
  std::vector<Index> image_readouts() const;
};

/// The samples of an acquisition that are kept, [coil, sample].
struct ProbedReadout {
  Index number = 0;
  Index length = 0;
  std::vector<std::complex<float>> samples;

  /// Sum of |sample|^2 over the coils; 0 outside of the readout.
  double energy(Index sample) const;
};

/// Reads some acquisitions, in the order of `numbers`.
std::vector<ProbedReadout> read_readouts(const Context& ctx, const SortedFile& sorted, std::vector<Index> numbers);

/// At most `most` of the acquisitions: those whose counters are nearest to the center of k-space.
std::vector<Index> nearest_to_center(const SortedFile& sorted, const EncodingHeader& header, std::vector<Index> numbers,
                                     std::size_t most);

/// A readout from the center with its other half, as of an object without phase but that of the coil: the transform of a half
/// alone has tails that reach across the field of view.
ProbedReadout mirrored(const ProbedReadout& half);

/// True if the object lies within the inner `part` of what the readouts encode: less than 5 % of the signal's energy along them
/// is outside.
bool lies_within(const Context& ctx, const std::vector<ProbedReadout>& readouts, double part);

/// True if one of the positions as stored is not 0 in a column. Reads no more than it needs.
bool any_in_column(const Context& ctx, const SortedFile& sorted, int column);

/// Largest |k| of all image readouts along `dim` axes, as stored.
std::array<double, 3> largest_positions(const Context& ctx, const SortedFile& sorted, int dim);

}  // namespace whorl::io
