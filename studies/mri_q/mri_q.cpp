#include "studies/mri_q/mri_q.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <map>

#include "studies/mri_q/parboil.hpp"
#include "whorl/io/array_files.hpp"

namespace whorl::studies {

namespace {

using namespace mri_q;

constexpr Index size_on_gpu = 128;
constexpr Index size_on_cpu = 32;
constexpr Index samples_of_parboil = 3072;

class MriQ final : public Experiment {
 public:
  BoundOptions options() override {
    static const OptionTable<MriQ> table =
        OptionTable<MriQ>("mri_q")
            .integer("size", &MriQ::size_, {0, 256}, "", "Voxels along each axis (0: 128 on a GPU, 32 on a CPU)")
            .when("an input made up (no --input)", [](const MriQ& study) { return study.input_.empty(); })
            .integer("samples", &MriQ::samples_, {0, 1 << 24}, "",
                     "How many samples: the first ones of the file (0: all), or made-up ones (0: 3072)")
            .text("input", &MriQ::input_, "Input of Parboil's mri-q (.bin), in place of one made up")
            .reads_file()
            .text("output", &MriQ::output_, "File to write the library's Q to, in the format of Parboil's output")
            .writes(FileUse::output)
            .text("reference", &MriQ::reference_, "Output of Parboil's mri-q to judge the library's Q by")
            .reads_file();
    return {this, &table};
  }

  Results run(const Context& ctx) override {
    const Context host = ctx.host();
    const Index size = size_on(ctx);
    const auto made = [&](Index edge) { return made_problem(host, edge); };
    const Problem problem = problem_on(ctx);

    Results results;
    results.parameters = {{"samples", static_cast<double>(problem.samples())},
                          {"voxels", static_cast<double>(problem.voxels())},
                          {"input", input_.empty() ? "made up" : input_.string()}};
    if (!output_.empty() || !reference_.empty()) deliver(ctx, problem, results);

    const DeviceLimits limits = device_limits(ctx);
    Tuned tuned = tune(ctx, problem);
    const Ladder ladder = ladder_of(ctx, problem, tuned.choice, size);
    const std::vector<StepTime> times = climb(ctx, ladder);
    results.tables.push_back(ladder_table(ladder, times, limits));
    add_picture(results, [&] { return ladder_picture(ctx.device(), ladder, times); });
    results.tables.push_back(std::move(tuned.table));
    std::vector<Problem> smaller_problems;
    smaller_problems.reserve(smaller_sizes.size());
    std::vector<TimesOfSize> sizes;
    std::vector<ParboilRun> runs;
    for (const Index smaller : smaller_sizes) {
      if (smaller >= size) break;
      smaller_problems.push_back(made(smaller));
      sizes.push_back({smaller, climb(ctx, ladder_of(ctx, smaller_problems.back(), tuned.choice, smaller))});
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      runs.push_back({fmt::format("{}^3", sizes[i].size), &smaller_problems[i], sizes[i].times});
    }
    runs.push_back({size == 0 ? "the file" : fmt::format("{}^3", size), &problem, times});
    results.tables.push_back(parboil_table(ctx, ladder, runs));
    if (!sizes.empty()) {
      sizes.push_back({size, times});
      results.tables.push_back(size_table(ladder, sizes));
    }
    add_notes(ladder, results);
    return results;
  }

  Results run_step(const Context& ctx, const std::string& /*ladder*/, const std::string& step) override {
    const Problem problem = problem_on(ctx);
    Results results;
    const Ladder ladder = ladder_of_step(ctx, problem, tune(ctx, problem).choice, step);
    add_ladder(ctx, ladder, device_limits(ctx), results);
    add_notes(ladder, results);
    return results;
  }

 private:
  /// Edge of the grid; 0: the input is a file.
  Index size_on(const Context& ctx) const {
    if (!input_.empty()) return 0;
    if (size_ != 0) return size_;
    return ctx.device().kind == DeviceKind::cuda ? size_on_gpu : size_on_cpu;
  }

  Problem made_problem(const Context& host, Index edge) const {
    return make_problem(host, edge, samples_ == 0 ? samples_of_parboil : samples_);
  }

  Problem problem_on(const Context& ctx) const {
    const Context host = ctx.host();
    return input_.empty() ? made_problem(host, size_on(ctx)) : read_problem(host, input_, samples_);
  }

  static constexpr std::array<Index, 4> smaller_sizes{16, 32, 64, 128};

  /// Writes Q, and judges it.
  void deliver(const Context& ctx, const Problem& problem, Results& results) const {
    LibraryQ library = q_anywhere(ctx, problem);
    library.run(ctx);
    if (!output_.empty()) {
      const std::array<NamedArray, 1> q{NamedArray{"Q", library.result(ctx)}};
      write_arrays(ctx.host(), output_, q, "mri-q-output");
      results.notes.push_back(fmt::format("wrote {}", output_.string()));
    }
    if (!reference_.empty()) {
      results.tables.push_back(acceptance_table(judge(library.planes(ctx), read_q(ctx.host(), reference_))));
    }
  }

  static void add_notes(const Ladder& ladder, Results& results) {
    std::map<double, std::vector<std::string>> in_part;
    for (const LadderStep& step : ladder.steps) {
      if (step.share < 1) in_part[step.share].push_back(step.name);
    }
    for (const auto& [share, names] : in_part) {
      results.notes.push_back(
          fmt::format("Extrapolated from {:.3g} % of the voxels: {}", 100 * share, fmt::join(names, "; ")));
    }
    results.notes.emplace_back("Errors are those of up to 500 voxels, spread evenly, against double precision");
  }

  Index size_ = 0;
  Index samples_ = 0;
  std::filesystem::path input_;
  std::filesystem::path output_;
  std::filesystem::path reference_;
};

constexpr const char* text =
    R"(Q(r) = sum_j |phi_j|^2 exp(2 pi i k_j . r), as Parboil's benchmark mri-q defines it, by one kernel after the other:
on a GPU the five solutions of a student project (C. Wang, "MRI-Q") and what comes after them, from global memory to
several voxels a thread; on a CPU from a loop in double precision to vectors on all threads. Each is checked against
sums in double precision; the last rows are the library's exact transforms. The files are Parboil's: docs/reference/files.md.
A further table divides the time of each size as Parboil does: input, copy, kernel, output.
Examples:
  whorl study mri_q
  whorl study mri_q --device cuda -o results
                                        128^3 voxels, and a table of 16^3 to 128^3
  whorl study mri_q --input 32_32_32_dataset.bin --output Q.bin --reference 32_32_32_dataset.out
                                        Parboil's input; Q as a file, judged by Parboil's tolerance
  whorl study mri_q --input 32_32_32_dataset.bin --samples 512
                                        with fewer of its samples)";

}  // namespace

Study mri_q_study() {
  return {"mri_q", "Q of Parboil's MRI-Q, from global memory to the library's exact transforms: a ladder of kernels",
          text, [] { return std::unique_ptr<Experiment>(std::make_unique<MriQ>()); }};
}

}  // namespace whorl::studies
