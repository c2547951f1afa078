#include "studies/energy/energy.hpp"

#include <chrono>
#include <memory>
#include <thread>

#include "studies/energy/cards.hpp"
#include "studies/energy/jobs.hpp"
#include "studies/energy/measure.hpp"
#include "studies/energy/part.hpp"

namespace whorl::studies {

namespace {

using namespace energy;

class Energy final : public Experiment {
 public:
  BoundOptions options() override {
    static const OptionTable<Options> table =
        OptionTable<Options>("energy")
            .integer("size", &Options::size, {16, 1024}, "", "Pixels of the plane along each axis")
            .integer("coils", &Options::coils, {1, 64}, "", "Receive coils of the plane")
            .integer("volume", &Options::volume, {0, 256}, "",
                     "Voxels of the volume along each axis (0: 128 on a GPU, 32 on a CPU)")
            .integer("samples", &Options::samples, {1, 1 << 24}, "", "Samples of the larger case of gridding")
            .real("seconds", &Options::seconds, {0.01, 60}, "s",
                  "How long each row is measured, at least; NVML's counter moves in steps of 0.1 s");
    return {&options_, &table};
  }

  Results run(const Context& ctx) override {
    Options used = options_;
    if (used.volume == 0) used.volume = ctx.device().kind == DeviceKind::cuda ? 128 : 32;
    Results results;
    const JouleCounter joules = joule_counter(ctx, results.notes);
    // Parts first: a driver that has none is found before the work.
    static_cast<void>(part_of(ctx, part_sizes(ctx).back()));
    const double idle = idle_watts(ctx, joules, used.seconds);
    std::vector<Job> jobs = gridding_jobs(ctx, used);
    for (Job& job : reconstruction_jobs(ctx, used)) jobs.push_back(std::move(job));
    const Measured measured = measure(ctx, jobs, joules, used.seconds);
    results.parameters = {{"size", static_cast<double>(used.size)},
                          {"coils", static_cast<double>(used.coils)},
                          {"volume", static_cast<double>(used.volume)},
                          {"samples", static_cast<double>(used.samples)},
                          {"seconds", used.seconds},
                          {"idle watts", joules ? Cell(idle) : Cell()}};
    results.tables = {measured.parts, usage_table(ctx, jobs, measured, idle), scaling_table(ctx, jobs, measured)};
    if (auto table = cards_table(ctx, used)) results.tables.push_back(std::move(*table));
    results.notes.insert(results.notes.end(), {"Errors of gridding: relative l2, against double precision with the "
                                               "window as the step looks it up; of images: against "
                                               "that of the whole device",
                                               "Watts are the device's, what it takes when idle included; memory "
                                               "bandwidth and caches are the whole device's on every part"});
    return results;
  }

 private:
  /// Power of the device, which is ready to work.
  static double idle_watts(const Context& ctx, const JouleCounter& joules, double seconds) {
    if (!joules) return 0;
    const Usage usage =
        use_of(ctx, joules, seconds, [] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); });
    return usage.joules.value_or(0) / usage.seconds;
  }

  Options options_;
};

constexpr const char* text =
    R"(Gregerson, "Implementing fast MRI gridding on GPUs via CUDA", table 2: the same gridding on a GPU of 16 multiprocessors and on
one of 2, which took 6.5 times as long. Here parts of one GPU stand for small ones: green contexts of the driver, whose
work runs on 2, 8, 16, 32 and 64 multiprocessors; memory and caches stay those of the whole GPU. On a CPU the parts are
threads. Work: gridding by the first and the last kernel of gridding_2d and by the library, with the paper's samples and
more; a plane by a spiral with several coils, and the volume of quantitative_mri with its prior, from samples to image.
Energy is that of NVML's counter, or RAPL's. Where a machine has several GPUs, images a second by 1, 2, 4 and all.
Examples:
  whorl study energy --device cuda -o results
  whorl study energy --device cuda --size 512 --coils 32 --seconds 4
                                        a larger plane, longer measured)";

}  // namespace

Study energy_study() {
  return {"energy",
          "Gridding and whole reconstructions on parts of a device, from small GPUs to large: time and energy", text,
          [] { return std::unique_ptr<Experiment>(std::make_unique<Energy>()); }};
}

}  // namespace whorl::studies
