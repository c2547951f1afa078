#include "whorl/scan/regroup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "whorl/core/error.hpp"

namespace whorl {

namespace {

// Consecutive samples of a frame of the scan that was given.
struct Piece {
  std::size_t frame = 0;
  Index first = 0;
  Index count = 0;
};

struct NewFrame {
  FrameIndex index;
  std::vector<Piece> pieces;
};

// Pieces by their trajectory: new frames with equal ones share a trajectory.
using PieceKey = std::vector<std::tuple<const Trajectory*, Index, Index>>;

PieceKey key_of(const Scan& scan, const NewFrame& frame) {
  PieceKey key;
  for (const Piece& piece : frame.pieces) {
    key.emplace_back(scan.frames[piece.frame].trajectory.get(), piece.first, piece.count);
  }
  return key;
}

Index samples_of(const NewFrame& frame) {
  Index samples = 0;
  for (const Piece& piece : frame.pieces) samples += piece.count;
  return samples;
}

Index common_readout_length(const Scan& scan, const NewFrame& frame) {
  const Index length = scan.frames[frame.pieces.front().frame].trajectory->readout_length;
  const bool common = std::all_of(frame.pieces.begin(), frame.pieces.end(), [&](const Piece& piece) {
    return scan.frames[piece.frame].trajectory->readout_length == length;
  });
  return common ? length : 0;
}

std::shared_ptr<const Trajectory> gathered_trajectory(const Context& ctx, const Scan& scan, const NewFrame& frame) {
  const Index dim = scan.frames[frame.pieces.front().frame].trajectory->dim();
  auto made = std::make_shared<Trajectory>();
  made->readout_length = common_readout_length(scan, frame);
  made->points = Array<double>(ctx.host(), {samples_of(frame), dim});
  double* to = made->points.data();
  for (const Piece& piece : frame.pieces) {
    to = std::copy_n(scan.frames[piece.frame].trajectory->points.data() + piece.first * dim, piece.count * dim, to);
  }
  return made;
}

Array<std::complex<float>> gathered_data(const Context& ctx, const Scan& scan, const NewFrame& frame) {
  Array<std::complex<float>> data(ctx.host(), {scan.coils, samples_of(frame)});
  std::complex<float>* to = data.data();
  for (Index coil = 0; coil < scan.coils; ++coil) {
    for (const Piece& piece : frame.pieces) {
      const Array<std::complex<float>>& from = scan.frames[piece.frame].data;
      to = std::copy_n(from.data() + coil * from.extent(1) + piece.first, piece.count, to);
    }
  }
  return data;
}

void check_places(const Scan& scan, const NewFrame& frame) {
  const Geometry& first = scan.frames[frame.pieces.front().frame].geometry;
  for (const Piece& piece : frame.pieces) {
    if (scan.frames[piece.frame].geometry == first) continue;
    throw ValueError(fmt::format("frames: slice {} has frames at different places, expected one; join fewer counters",
                                 frame.index.slice));
  }
}

// The scan with new frames.
Scan gathered(const Context& ctx, Scan scan, const std::vector<NewFrame>& frames) {
  ProgressStage progress(ctx, "frames", static_cast<Index>(frames.size()));
  std::vector<ScanFrame> made;
  std::map<PieceKey, std::shared_ptr<const Trajectory>> trajectories;
  for (const NewFrame& frame : frames) {
    ctx.check_cancel("frames");
    check_places(scan, frame);
    std::shared_ptr<const Trajectory>& trajectory = trajectories[key_of(scan, frame)];
    if (trajectory == nullptr) trajectory = gathered_trajectory(ctx, scan, frame);
    made.push_back({frame.index, trajectory, nullptr, gathered_data(ctx, scan, frame),
                    scan.frames[frame.pieces.front().frame].geometry});
    progress.advance();
  }
  if (std::any_of(scan.frames.begin(), scan.frames.end(), [](const ScanFrame& f) { return f.weights != nullptr; })) {
    scan.notes.emplace_back("Density weights that came with the scan were dropped: its frames are others now.",
                            NoteKind::doubt);
  }
  scan.frames = std::move(made);
  scan.frame_interval_ms = 0;
  return scan;
}

FrameIndex kept(const FrameIndex& index, const FrameCounters& by) {
  return {index.slice, by.contrast ? index.contrast : 0, by.phase ? index.phase : 0,
          by.repetition ? index.repetition : 0, by.set ? index.set : 0};
}

}  // namespace

FrameCounters frame_counters(std::span<const std::string> names) {
  FrameCounters by;
  for (const std::string& name : names) {
    if (name == "contrast" || name == "all") by.contrast = true;
    if (name == "phase" || name == "all") by.phase = true;
    if (name == "repetition" || name == "all") by.repetition = true;
    if (name == "set" || name == "all") by.set = true;
    const bool known = name == "contrast" || name == "phase" || name == "repetition" || name == "set";
    if (!known && !((name == "all" || name == "none") && names.size() == 1)) {
      throw ValueError(fmt::format(
          "frames: '{}' is no counter of frames; expected some of contrast, phase, repetition and set, or all, or none",
          name));
    }
  }
  return by;
}

Index readouts_of(const ScanFrame& frame, const std::string& operation) {
  const Index length = frame.trajectory->readout_length;
  const Index samples = frame.trajectory->samples();
  if (length < 1 || samples % length != 0) {
    throw ValueError(
        fmt::format("{}: slice {} has readouts of unequal or unknown length, expected equal ones; write the scan with "
                    "one acquisition for each readout",
                    operation, frame.index.slice));
  }
  return samples / length;
}

Scan join_frames(const Context& ctx, Scan scan, const FrameCounters& by) {
  std::vector<NewFrame> frames;
  for (std::size_t i = 0; i < scan.frames.size(); ++i) {
    const FrameIndex index = kept(scan.frames[i].index, by);
    auto found =
        std::find_if(frames.begin(), frames.end(), [&](const NewFrame& frame) { return frame.index == index; });
    if (found == frames.end()) found = frames.insert(found, {index, {}});
    found->pieces.push_back({i, 0, scan.frames[i].trajectory->samples()});
  }
  if (frames.size() == scan.frames.size()) return scan;
  std::sort(frames.begin(), frames.end(), [](const NewFrame& a, const NewFrame& b) { return a.index < b.index; });
  scan.notes.emplace_back(fmt::format("Frames: {} of the scan were joined to {}.", scan.frames.size(), frames.size()));
  return gathered(ctx, std::move(scan), frames);
}

Scan split_frames(const Context& ctx, Scan scan, Index readouts, Index step) {
  if (readouts < 1 || step < 0) {
    throw ValueError(
        fmt::format("frames: {} readouts every {}, expected at least 1 readout, and a step of 0 (no overlap) or more",
                    readouts, step));
  }
  if (step == 0) step = readouts;
  std::vector<NewFrame> frames;
  std::map<FrameIndex, int> counts;  // of each slice, contrast, phase and set
  Index left_out = 0;
  for (std::size_t i = 0; i < scan.frames.size(); ++i) {
    const ScanFrame& frame = scan.frames[i];
    const Index length = frame.trajectory->readout_length;
    const Index there = readouts_of(frame, "frames");
    if (there < readouts) {
      throw ValueError(
          fmt::format("frames: frame {} of the scan has {} readouts, expected at least the {} of a new frame; join "
                      "frames first, or take fewer readouts for each",
                      i, there, readouts));
    }
    FrameIndex index = frame.index;
    index.repetition = 0;
    int& count = counts[index];
    Index first = 0;
    for (; first + readouts <= there; first += step) {
      index.repetition = count++;
      frames.push_back({index, {{i, first * length, readouts * length}}});
    }
    left_out += std::max<Index>(there - (first - step + readouts), 0);
  }
  const double interval = static_cast<double>(step) * scan.readout_interval_ms;
  std::string note = fmt::format("Frames: {} of {} readouts, a frame every {} readouts", frames.size(), readouts, step);
  if (interval > 0) note += fmt::format(" ({:.4g} ms)", interval);
  if (left_out > 0) note += fmt::format("; {} readouts at the end fill no frame and are left out", left_out);
  scan.notes.emplace_back(doubt_if(left_out > 0, note + "."));
  // Frames of the scan that were cut one by one may have gaps between them.
  const bool continuous = counts.size() == scan.frames.size();
  scan = gathered(ctx, std::move(scan), frames);
  scan.frame_interval_ms = continuous ? interval : 0;
  return scan;
}

Scan bin_frames(const Context& ctx, Scan scan, const std::vector<std::vector<int>>& bins, int count) {
  if (bins.size() != scan.frames.size()) {
    throw ValueError(
        fmt::format("gating: bins of {} slices for {} frames, expected one frame per slice; join frames first",
                    bins.size(), scan.frames.size()));
  }
  std::vector<NewFrame> frames;
  for (std::size_t i = 0; i < scan.frames.size(); ++i) {
    const ScanFrame& frame = scan.frames[i];
    const Index length = frame.trajectory->readout_length;
    const Index readouts = readouts_of(frame, "gating");
    if (static_cast<Index>(bins[i].size()) != readouts) {
      throw ValueError(
          fmt::format("gating: bins of {} readouts for a frame of {}, expected as many", bins[i].size(), readouts));
    }
    for (int bin = 0; bin < count; ++bin) {
      NewFrame made{frame.index, {}};
      made.index.phase = bin;
      for (Index readout = 0; readout < readouts; ++readout) {
        if (bins[i][static_cast<std::size_t>(readout)] == bin) made.pieces.push_back({i, readout * length, length});
      }
      if (made.pieces.empty()) {
        throw ValueError(fmt::format("gating: bin {} of {} has no readout in slice {}; take fewer bins", bin + 1, count,
                                     frame.index.slice));
      }
      frames.push_back(std::move(made));
    }
  }
  return gathered(ctx, std::move(scan), frames);
}

}  // namespace whorl
