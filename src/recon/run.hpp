// State that goes along with every step of one reconstruction.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/stopwatch.hpp"
#include "recon/stage.hpp"
#include "whorl/core/context.hpp"
#include "whorl/core/note.hpp"

namespace whorl::recon {

/// Where a reconstruction runs (device, threads, memory, progress, cancellation), how long its stages take, and what it
/// says to people.
class Run {
 public:
  explicit Run(const Context& context) : ctx(context), solver_ctx(context) {}

  /// From now on the arrays of the solver with regularizers lie outside of the device's memory: so many bytes of them, and
  /// then, beside so many that are resident, all others (Context::spilled).
  void spill_solver(const std::string& folder, Index away, Index resident) {
    solver_ctx = ctx.spilled(folder, static_cast<std::size_t>(away), static_cast<std::size_t>(resident));
    spills_solver = true;
  }

  const Context& ctx;
  Context solver_ctx;  ///< for arrays of a solver with regularizers: `ctx`, or spilled
  bool spills_solver = false;
  double noise = 0;  ///< standard deviation of the noise in a sample of the data as they were prepared; 0: not known
  int exponent = 0;  ///< images times 2^exponent are in the unit of the data that were given (prepare)
  bool noise_found = true;  ///< false: data were to be prewhitened, and nothing tells of their noise
  Notes notes;              ///< what was chosen and found, in sentences

  /// Does the work as a stage of progress, and adds its time to that of the stage. It has ended when the context's
  /// device has done it.
  template <class Work>
  auto time(Stage stage, const Work& work) {
    ProgressStage progress(ctx, stage.name, 1);
    const Stopwatch watch;
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      stop(stage, watch);
      progress.advance();
    } else {
      auto result = work();
      stop(stage, watch);
      progress.advance();
      return result;
    }
  }

  /// The stages, in the order in which they first ran, with their seconds.
  std::vector<std::pair<std::string, double>> take_stages() { return seconds_.named(); }

 private:
  void stop(Stage stage, const Stopwatch& watch) {
    ctx.synchronize();
    seconds_.at(stage) += watch.seconds();
  }

  StageValues<double> seconds_;
};

}  // namespace whorl::recon
