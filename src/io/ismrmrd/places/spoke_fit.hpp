// Which of several orders of angles the data of spokes have.
#pragma once

#include <complex>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/ismrmrd/probe.hpp"
#include "whorl/io/ismrmrd.hpp"
#include "whorl/trajectory/spoke_order.hpp"

namespace whorl::io {

/// The projections of the object that the middle of a spoke gives.
struct ProbedSpoke {
  Index number = 0;       ///< of the spoke in its order
  std::size_t width = 0;  ///< samples of each coil
  /// [coil, position] along the spoke, from as many samples on both sides of the center, or from it outwards: magnitudes of norm 1.
  std::vector<std::complex<float>> samples;
};

/// An acquisition and the number of its spoke.
struct NumberedReadout {
  Index acquisition = 0;
  Index spoke = 0;
};

/// Reads spokes. `sample`: the center, as CounterCenters::sample.
std::vector<ProbedSpoke> probe_spokes(const Context& ctx, const SortedFile& sorted, std::optional<Index> sample,
                                      const std::vector<NumberedReadout>& numbered);

/// An order of angles, with its name.
struct SpokeAngles {
  std::string name;
  std::vector<double> turns;  ///< radians, by number of the spoke
  /// The angles of more spokes, which begin with these, so that frames may continue those before; none: more spokes change these.
  std::function<std::vector<double>(Index)> of_more{};
};

/// The orders that `options` and header leave open, the stated or usual one first; `period` as in spoke_angles.
std::vector<SpokeAngles> possible_angles(Index count, const ScanReadOptions& options, bool golden_header,
                                         double period);

/// The place of the order with which spokes side by side are most alike: the first unless another explains the data far better.
std::size_t fitting_angles(const std::vector<ProbedSpoke>& spokes, const std::vector<SpokeAngles>& orders,
                           double period);

}  // namespace whorl::io
