// What the families of `whorl traj` share.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "whorl/io/pulseq.hpp"
#include "whorl/io/record.hpp"
#include "whorl/scan/scan.hpp"
#include "whorl/trajectory/gradients.hpp"

namespace whorl::cli {

/// The image that a trajectory is for.
struct TrajImage {
  std::array<Index, 3> matrix{1, 1, 1};             ///< x, y, z; z = 1: 2D
  std::array<double, 3> field_of_view_mm{0, 0, 0};  ///< 0: not known
  double dwell_us = 0;                              ///< 0: not known

  int dim() const { return matrix[2] > 1 ? 3 : 2; }
  /// The largest extent in the plane, of which Nyquist's distance follows; of the whole image for volumes.
  double in_plane() const;
  double largest() const;
  /// Throws ValueError where the field of view is not known or pixels are not as long along all of the axes.
  double pixel_mm(int axes) const;
};

/// A distance between neighbors that must be at most Nyquist's: 1 over the matrix size.
struct SamplingGap {
  std::string between;  ///< "neighboring spokes at the edge"
  double gap;           ///< cycles per pixel
  double nyquist;
};

/// What a family makes.
struct MadeTrajectory {
  Trajectory trajectory;
  std::string kind = "other";  ///< by ISMRMRD's names
  double dwell_us = 0;
  std::optional<Gradients> gradients{};
  std::vector<PlayedWaveform> played{};  ///< of each readout, where they are all that is played
  double gamma_mhz_per_t = 0;            ///< of the design
  std::vector<SamplingGap> gaps{};
  std::vector<std::pair<std::string, RunRecord::Value>> parameters{};
};

/// Makes a trajectory after the options are parsed.
using MakeTrajectory = std::function<MadeTrajectory(const Context&, const TrajImage&)>;

struct TrajFamily {
  std::string name;
  std::string summary;
  std::string text;  ///< what the help ends with: how it is made, and examples
  int least_dim = 2;
  int most_dim = 2;
  std::function<MakeTrajectory(App&)> define;
};

TrajFamily radial_family();
TrajFamily kooshball_family();
TrajFamily stack_of_stars_family();
TrajFamily spiral_family();
TrajFamily stack_of_spirals_family();
TrajFamily rosette_family();
TrajFamily cones_family();
TrajFamily twisted_projection_family();
TrajFamily density_adapted_family();
TrajFamily propeller_family();
TrajFamily cartesian_family();
TrajFamily random_family();

/// With what the options of a design have an effect.
inline constexpr const char* designed_readouts = "readouts designed under gradient limits (no --samples)";

/// The command of a family that writes no file but sets `scan` to the trajectory. Refuses a name that no family has.
Command designed_scan_command(const std::string& name, Scan& scan);

/// What people want to know of a trajectory, one fact a line: samples, time, largest |k|, Nyquist, gradients.
std::string facts_text(const Context& ctx, const MadeTrajectory& made, const TrajImage& image);

/// A picture of the trajectory: k-space, the first readout over time, its gradient and slew rate where they are known.
void plot_trajectory(const Context& ctx, const MadeTrajectory& made, const std::string& title, const std::string& path);

/// Writes waveforms: .csv with a line for each time (waveform where there are several, time_us, gx, gy, gz in mT/m,
/// slew in T/m/s), or .npz with time_us [time], gradient_mt_per_m [waveform, time, dim] and slew_t_per_m_s
/// [waveform, time].
void write_gradients(const Context& ctx, const Gradients& gradients, const std::string& path);

/// Writes a designed trajectory as a Pulseq sequence (io/pulseq.hpp).
void write_sequence(const Context& ctx, MadeTrajectory& made, PulseqShot shot, const TrajImage& image,
                    const std::string& path);

}  // namespace whorl::cli
