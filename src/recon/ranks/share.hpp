// Share of one of several ranks in a reconstruction.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "recon/frame_groups.hpp"
#include "recon/ranks/spread_encoding.hpp"
#include "recon/run.hpp"
#include "whorl/comm/communicator.hpp"
#include "whorl/recon/options.hpp"

namespace whorl::recon {

/// Place of a rank's work among units that lie one after another. Teams take ranges of units.
struct Seat {
  Index teams = 1;
  int team = 0;
  int team_size = 1;
  int place = 0;        ///< in its team
  FrameRange frames{};  ///< of its team
};

/// `starts`: the first frame of each unit, and the end.
Seat seat_of(int rank, int ranks, const std::vector<Index>& starts);

/// The starts of the units of a scan that is sorted as it is solved: frames, or with regularizers groups of `together` frames at most.
std::vector<Index> unit_starts(const Scan& scan, std::span<const int> slices, Index together,
                               const ReconOptions& options);

/// The frames of a scan, sorted as it is solved, whose data the rank with this place in its team needs. `own`: those of the team.
std::vector<bool> needed_frames(const Scan& scan, std::span<const int> slices, FrameRange own, int place,
                                Index together, const ReconOptions& options);

/// Ranks of a team that have work: one for each coil, or one where coils are not shared.
Index most_of_team(const ReconOptions& options, Index coils);

/// The ranks of a reconstruction form teams, one for each frame, or group where regularizers solve frames together, or fewer. A team
/// solves a range of neighboring frames: its leader has the solver, the others have coils of their own.
class Share {
 public:
  /// Collective. Shares a scan whose frames are in the order in which they are solved, `together` at a time with
  /// regularizers. `slices`: the slice of each frame.
  Share(const Context& ctx, const Scan& scan, std::span<const int> slices, Index together, const ReconOptions& options);

  /// Collective. Shares units that begin at `starts` (seat_of); the note calls them `units`. Up to `most` ranks of a team have work; they share the
  /// coils. No ranks: this process alone.
  Share(const Context& ctx, std::shared_ptr<Communicator> ranks, const std::vector<Index>& starts, Index coils,
        Index most, const std::string& units);

  Communicator& ranks() { return *ranks_; }
  Communicator& team() { return *team_; }
  /// Whether there is nobody else.
  bool alone() const { return ranks_->size() == 1; }
  /// Whether this rank has the result.
  bool is_first() const { return ranks_->rank() == 0; }
  bool leads() const { return team_->rank() == 0 && !idle_; }
  /// More ranks than frames and coils: this one has no work.
  bool is_idle() const { return idle_; }
  /// Whether the coils of a frame are spread over several ranks.
  bool spreads() const { return team_->size() > 1 && !idle_; }

  /// Reads the data that this rank needs into a scan whose frames came without (ReconResources::frame_data). `order`: the
  /// numbers of its frames in the scan that was given; empty: as they are. `slices` and `together` as above.
  void read_data(Run& run, std::span<const int> slices, const std::vector<std::size_t>& order, Index together,
                 const ReconOptions& options, Scan& scan) const;

  /// For each frame: whether the team solves it, or needs it as the first of a slice, whose data give the weight.
  std::vector<bool> solved_frames(std::span<const int> slices) const;

  FrameRange frames() const { return frames_; }
  CoilRange coils() const { return coils_; }
  /// Description of how the work is shared, for people; empty for one rank.
  const std::string& note() const { return note_; }

 private:
  std::shared_ptr<Communicator> ranks_;
  std::shared_ptr<Communicator> team_;
  bool idle_ = false;
  int place_ = 0;  // in its team, as if no rank were idle
  FrameRange frames_;
  CoilRange coils_;
  std::string note_;
};

/// The coils of a rank of a team that shares them.
CoilRange coils_of(int rank, int ranks, Index coils);

/// Reads data into a scan whose frames came without (ReconResources::frame_data). `order` as in Share::read_data.
void read_frames(Run& run, const std::vector<bool>& needed, const std::vector<std::size_t>& order,
                 const ReconOptions& options, Scan& scan);

/// The context for the work: steps in which the host takes part, for they are spread over ranks or get maps from there, are
/// not recorded as a CUDA graph. Its memory is the caller's.
Context context_for(const Context& ctx, bool host_takes_part);

/// The first frame before `frame`, or itself, without one of another slice in between: coil maps and weights of the slice are
/// its own.
Index first_of_slice(std::span<const int> slices, Index frame);

}  // namespace whorl::recon
