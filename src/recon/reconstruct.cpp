#include "whorl/recon/reconstruct.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "recon/encoding/encoding.hpp"
#include "recon/finish_images.hpp"
#include "recon/finished_frames.hpp"
#include "recon/frame_groups.hpp"
#include "recon/joint_recon.hpp"
#include "recon/memory.hpp"
#include "recon/methods/method.hpp"
#include "recon/quality/certify_frame.hpp"
#include "recon/quality/error_bars.hpp"
#include "recon/ranks/collect.hpp"
#include "recon/ranks/group_encodings.hpp"
#include "recon/ranks/share.hpp"
#include "recon/ranks/team_data.hpp"
#include "recon/recon_plan.hpp"
#include "recon/steps.hpp"
#include "recon/tiles/frame_images.hpp"
#include "whorl/comm/agree.hpp"

namespace whorl {

namespace {

using Complex = std::complex<float>;

// One reconstruction, in the order in which it is done.
class Job {
 public:
  Job(const Context& ctx, Scan scan, const ReconOptions& options, const recon::MemoryNeeds& needs)
      : order_(recon::is_sorted_by_slice(options) ? recon::order_by_slice(scan) : std::vector<std::size_t>()),
        scan_(recon::in_order(std::move(scan), order_)),
        slices_(recon::slices_of(scan_)),
        placed_(options.subspace != nullptr ? std::vector<std::size_t>() : order_),
        options_(recon::with_needs(options, needs)),
        signal_(options.signal),
        steps_(recon::steps_of(options_)),
        needs_(needs),
        joined_(ctx.host(), scan_, options_, needs_.tiles),
        share_(ctx, scan_, slices_, needs_.frames, options_),
        ctx_(recon::context_for(ctx, share_.spreads() || needs_.tiles.maps)),
        run_(ctx_),
        error_bars_(ctx_, scan_, options_, needs.replicas) {
    if (needs_.tiles.solver)
      run_.spill_solver(options_.resources.spill.folder, needs_.spilled_solver_bytes(), needs_.resident_bytes);
  }

  Reconstruction reconstruct() {
    ProgressStage progress(run_.ctx, "reconstruction", share_.frames().count());
    agree(share_.ranks(), [&] { prepare(); });
    // With regularizers the data of frames go out once, for the right-hand side.
    agree(share_.ranks(), [&] {
      if (!options_.regularized.terms.empty() && options_.subspace == nullptr) return;
      recon::scatter_coils(run_, run_.ctx, share_, share_.solved_frames(slices_), scan_);
    });
    agree(share_.ranks(), [&] {
      if (!share_.is_idle()) solve_frames(progress);
    });
    collect();
    agree(share_.ranks(), [&] {
      if (share_.is_first()) finish();
    });
    return std::move(result_);
  }

 private:
  void prepare() {
    share_.read_data(run_, slices_, order_, needs_.frames, options_, scan_);
    take(recon::Turn::first);
  }

  void solve_frames(ProgressStage& progress) {
    at_.method = recon::method_of(options_).make(at_);
    const auto groups = recon::solved_groups(scan_, share_, needs_.frames, options_);
    for (const recon::FrameGroup& group : groups) {
      enter_slice(group);
      at_.next = &group == &groups.back() ? nullptr : std::next(&group);
      take(recon::Turn::group, group);
      progress.advance(static_cast<Index>(group.frames.size()));
    }
    keep_maps();
  }

  // The steps of a turn, in their order.
  void take(recon::Turn turn, const recon::FrameGroup& group = {}) {
    for (const recon::Step& step : steps_) {
      if (step.turn == turn) step.run(at_, group);
    }
  }

  void enter_slice(const recon::FrameGroup& group) {
    const int slice = group.frames.front().index.slice;
    if (at_.slice == slice) return;
    keep_maps();
    // Their memory is free before that of the next slice is taken.
    at_.maps = {};
    at_.own_maps = {};
    at_.slice = slice;
    take(recon::Turn::slice, group);
  }

  void keep_maps() {
    if (options_.keep_maps && at_.slice) kept_maps_.add(run_, at_.method->maps());
  }

  // Results of the leaders of all teams, on the first rank.
  void collect() {
    result_.normals = encodings_.take_normals();
    if (share_.alone()) return;
    recon::TeamResult own;
    agree(share_.ranks(), [&] {
      if (share_.leads() && !share_.is_first()) own = team_result();
    });
    others_ = recon::collect(run_, share_.ranks(), share_.leads() ? &own : nullptr);
    if (!share_.is_first()) result_ = {};
  }

  recon::TeamResult team_result() {
    const recon::FrameRange own = recon::images_of(scan_, share_.frames(), options_);
    recon::TeamResult team{own.first,
                           to_host<const Complex>(run_.ctx, images_.all()),
                           std::move(result_.reports),
                           std::move(result_.lambdas),
                           std::move(result_.certificates),
                           std::move(result_.normals),
                           error_bars_.take(result_.reports, run_.notes)};
    recon::keep_rows(run_.ctx.host(), own, team.error_bars);
    return team;
  }

  void finish() {
    Array<Complex>& images = images_.all();
    recon::merge(run_.ctx, others_, images, result_);
    result_.frames = recon::places_of_images(scan_, options_);
    result_.coil_maps = kept_maps_.take(run_, scan_.coils, images.shape().tail());
    recon::note_certificates(result_.certificates, run_.notes);
    recon::note_lambdas(result_.lambdas, run_.notes);
    take(recon::Turn::last);
    result_.error_bars = error_bars_.take(result_.reports, run_.notes);
    recon::merge_error_bars(others_, result_.error_bars);
    recon::finish_further(run_, at_.image(), finish_.masks(), result_);
    recon::restore_order(run_.ctx.host(), placed_, result_);
    result_.notes = std::move(run_.notes);
    result_.stage_seconds = run_.take_stages();
  }

  std::vector<std::size_t> order_;  // of the scan's frames, where they were sorted
  Scan scan_;
  std::vector<int> slices_;          // of each frame
  std::vector<std::size_t> placed_;  // `order_`, where images are those of frames
  const ReconOptions options_;
  const SignalOptions signal_;  // as it was given
  const std::vector<recon::Step> steps_;
  const recon::MemoryNeeds needs_;
  recon::JoinedScans joined_;  // copied before the rest of the memory is taken
  recon::Share share_;
  Context ctx_;
  recon::Run run_;
  recon::ErrorBarMaker error_bars_;
  recon::FinishedFrames finished_{options_.resources.finished.get(), placed_};
  recon::Spill spill_{ctx_, options_.resources.spill};
  recon::Encodings encodings_{scan_, options_, needs_.tiles, needs_.tiles.weights ? &spill_ : nullptr,
                              needs_.plans_ahead};
  recon::ImageFinish finish_{scan_, options_, share_.alone() && placed_.empty()};
  recon::KeptMaps kept_maps_;
  recon::FrameImages images_;
  std::vector<recon::TeamResult> others_;
  Reconstruction result_;
  recon::Workplace at_{.scan = scan_,
                       .slices = slices_,
                       .options = options_,
                       .signal = signal_,
                       .tiles = needs_.tiles,
                       .frames_together = needs_.frames,
                       .spilled_solver_bytes = needs_.spilled_solver_bytes(),
                       .run = run_,
                       .share = share_,
                       .spill = spill_,
                       .joined = joined_,
                       .encodings = encodings_,
                       .images = images_,
                       .finish = finish_,
                       .finished = finished_,
                       .error_bars = error_bars_,
                       .result = result_};
};

recon::MemoryNeeds needs_of(const Context& ctx, const Scan& scan, const ReconOptions& options,
                            const ReconPlan* plan = nullptr) {
  recon::MemoryNeeds needs;
  const auto check = [&] { needs = recon::checked_memory_needs(ctx, scan, options, plan); };
  options.resources.ranks != nullptr ? agree(*options.resources.ranks, check) : check();
  return needs;
}

}  // namespace

Reconstruction reconstruct(const Context& ctx, const Scan& scan, const ReconOptions& options) {
  const recon::MemoryNeeds needs = needs_of(ctx, scan, options);
  return Job(ctx, clone(ctx, scan), options, needs).reconstruct();
}

Reconstruction reconstruct(const Context& ctx, Scan&& scan, const ReconOptions& options) {
  const recon::MemoryNeeds needs = needs_of(ctx, scan, options);
  return Job(ctx, std::move(scan), options, needs).reconstruct();
}

Reconstruction reconstruct(const Context& ctx, Scan&& scan, const ReconOptions& options, const ReconPlan& plan) {
  const recon::MemoryNeeds needs = needs_of(ctx, scan, options, &plan);
  return Job(ctx, std::move(scan), options, needs).reconstruct();
}

}  // namespace whorl
