#include "studies/fhd/fhd.hpp"

#include <fmt/format.h>

#include "studies/fhd/multi.hpp"
#include "studies/fhd/rungs.hpp"
#include "studies/fhd/searches.hpp"

namespace whorl::studies {

namespace {

using namespace fhd;

constexpr Index size_on_gpu = 96;
constexpr Index size_on_cpu = 32;
constexpr Index most_voxels = 512;  // along an axis
constexpr Index most_samples = 20'000'000;

class Fhd final : public Experiment {
 public:
  BoundOptions options() override {
    static const OptionTable<Fhd> table =
        OptionTable<Fhd>("fhd")
            .integer("size", &Fhd::size_, {0, most_voxels}, "",
                     "Voxels along each axis, 8 or more (0: 96 on a GPU, 32 on a CPU; the chapter has 128)")
            .integer("samples", &Fhd::samples_, {0, most_samples}, "",
                     "Samples, in whole spokes (0: as many per voxel as in the chapter)")
            .flag("retune", &Fhd::retune_,
                  "Search the sizes of the kernels again, whatever an earlier run has kept for the device");
    return {this, &table};
  }

  Results run(const Context& ctx) override {
    const bool on_gpu = ctx.device().kind == DeviceKind::cuda;
    const Trial trial = trial_on(ctx);
    const Index size = trial.scan.image[0];
    Tuner tuner(tuning_file(), retune_);
    const DeviceLimits limits = device_limits(ctx);
    Results results;
    results.parameters = {{"size", static_cast<double>(size)},
                          {"samples", static_cast<double>(trial.scan.data.size())}};
    add_baseline(on_gpu ? ctx.host() : ctx, trial, tuner, results);
    Ladder ladder = ladder_with(ctx, trial, tuner, {});
    ladder.steps.push_back(library_rung(ctx, trial));
    add(ctx, ladder, limits, results);
    add_searches(ctx, tuner.searches(), tuned_kernel, results);
    results.tables.push_back(multi_table(ctx, "multi", trial, on_gpu ? shared_gpu_step() : shared_cpu_step()));
    if (on_gpu && results.tables.back().rows.size() == 2) {
      // One GPU: the host's threads show what dividing the voxels brings.
      Trial small{simulate(ctx.host(), size_on_cpu, 0), {}};
      small.truth = exact_sums(ctx, small.scan);
      results.tables.push_back(multi_table(ctx.host(), "multi_cpu", small, shared_cpu_step()));
      results.notes.emplace_back(
          "One GPU was there: table multi has it alone; in table multi_cpu each thread of the host stands for a GPU");
    }
    const std::vector<std::string> about{
        tuner.remark(),
        fmt::format("{0}^3 voxels, {1} samples: {2:.3g} terms; 16 operations each as defined, a sine or "
                    "cosine one of them",
                    size, trial.scan.data.size(),
                    static_cast<double>(trial.truth.size()) * static_cast<double>(trial.scan.data.size())),
        "SNR: of the image F^H d, against the same in double precision (figure 7.18)",
        "Published: figure 7.20, 128^3 voxels and 284592 samples, 5.97e11 terms, another scan; Core 2 "
        "Extreme (four cores) and Quadro FX 5600"};
    results.notes.insert(results.notes.end(), about.begin(), about.end());
    return results;
  }

  Results run_step(const Context& ctx, const std::string& /*ladder*/, const std::string& step) override {
    const Trial trial = trial_on(ctx);
    Tuner tuner(tuning_file(), retune_);
    Results results;
    add(ctx, ladder_with(ctx, trial, tuner, step), device_limits(ctx), results);
    return results;
  }

 private:
  static constexpr Index least_size = 8;  // below, a spoke has fewer than 4 samples

  /// The scan of the options with its sums in double precision.
  Trial trial_on(const Context& ctx) const {
    const Index default_size = ctx.device().kind == DeviceKind::cuda ? size_on_gpu : size_on_cpu;
    const Index size = size_ == 0 ? default_size : size_;
    if (size < least_size) {
      throw ValueError(fmt::format("fhd: a size of {} voxels, expected {} or more", size, least_size));
    }
    Trial trial{simulate(ctx.host(), size, samples_), {}};
    trial.truth = exact_sums(ctx, trial.scan);
    return trial;
  }

  /// The device's kernels, or the one of that name.
  static Ladder ladder_with(const Context& ctx, const Trial& trial, Tuner& tuner, const std::string& only) {
    Ladder ladder = ladder_of(ctx, "fhd", "F^H d", trial);
    const auto add_rungs = [&](const auto& steps) {
      for (const auto& step : steps) {
        if (only.empty() || step.name == only) ladder.steps.push_back(rung(ctx, trial, step));
      }
    };
    if (ctx.device().kind == DeviceKind::cuda) {
      add_rungs(gpu_steps(ctx, tuner));
    } else {
      add_rungs(double_cpu_steps());
      add_rungs(single_cpu_steps(tuner));
    }
    return ladder;
  }

  /// The CPU rows that the chapter compares its GPU with, after plain loops.
  static void add_baseline(const Context& host, const Trial& trial, Tuner& tuner, Results& results) {
    Ladder ladder = ladder_of(host, "fhd_cpu", "F^H d by all threads, as the chapter's baseline", trial);
    ladder.steps = {rung(host, trial, cpu_baseline<double>(tuner)), rung(host, trial, cpu_baseline<float>(tuner)),
                    rung(host, trial, cpu_chapter_step<double>(tuner)),
                    rung(host, trial, cpu_chapter_step<float>(tuner))};
    add(host, ladder, device_limits(host), results);
  }

  /// Notes the steps that were not run in full.
  static void add(const Context& ctx, const Ladder& ladder, const DeviceLimits& limits, Results& results) {
    constexpr double percent = 100;
    std::string parts;
    for (const LadderStep& step : ladder.steps) {
      if (step.share == 1) continue;
      parts += fmt::format("{}{} ({:.2g} %)", parts.empty() ? "" : ", ", step.name, percent * step.share);
    }
    add_ladder(ctx, ladder, limits, results);
    if (!parts.empty()) results.notes.push_back("Extrapolated from a part of the voxels: " + parts);
  }

  Index size_ = 0;
  Index samples_ = 0;
  bool retune_ = false;
};

constexpr const char* text =
    R"(The sum F^H d(r) = sum_j conj(Phi_j) d_j exp(2 pi i k_j . r) over all samples at every voxel, as chapter 7 of Kirk and
Hwu, "Programming massively parallel processors" (2008 edition), takes it from a loop to a GPU: every step a kernel of
its own, timed, its image held against double precision. On a GPU: scatter with atomics, loop fission, loop
interchange, registers, constant memory, an array of structs, hardware sine and cosine, unrolling, tuning; then many
voxels a thread, the separable form, and the same on tensor cores. On a CPU: the same loops, vectors, blocks, threads,
a recurrence, the separable form. The library's exact transform comes last. Further tables: the CPU rows that the
chapter compares with (vectors, unrolled, tiled; double and single), the sizes of every kernel, all tried together,
beside a search of one after the other, and F^H d and Q with the voxels divided among all GPUs of the machine, or threads of the CPU.
What tuning finds is kept for each kernel and device in study_fhd.json in $XDG_CACHE_HOME/whorl or ~/.cache/whorl.
Examples:
  whorl study fhd
  whorl study fhd --size 24 --samples 5000 -o results
  whorl study fhd --device cuda --size 128 --retune
                                        the chapter's size; the sizes of blocks are searched again)";

}  // namespace

Study fhd_study() {
  return {"fhd", "F^H d of iterative reconstruction, from a scatter loop to a product of matrices", text,
          [] { return std::unique_ptr<Experiment>(std::make_unique<Fhd>()); }};
}

}  // namespace whorl::studies
