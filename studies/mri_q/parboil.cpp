#include "studies/mri_q/parboil.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <future>

#include "bench/timing.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"

namespace whorl::studies::mri_q {

namespace {

namespace fs = std::filesystem;

/// A folder of our own, gone with the object.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "whorl-mri-q-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw IoError(fmt::format("mri_q: cannot make the folder '{}'", name));
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

Array<float> plane_of(const Context& host, const Array<float>& planes, Index plane) {
  const Index count = planes.extent(1);
  return clone(host, ArrayRef<const float>(planes.data() + plane * count, {count}));
}

void write_input(const Context& host, const Problem& problem, const fs::path& path) {
  std::vector<NamedArray> arrays;
  constexpr std::array<const char*, 3> k{"kx", "ky", "kz"};
  constexpr std::array<const char*, 3> r{"x", "y", "z"};
  for (Index axis = 0; axis < 3; ++axis) {
    arrays.push_back({k[static_cast<std::size_t>(axis)], plane_of(host, problem.k, axis)});
    arrays.push_back({r[static_cast<std::size_t>(axis)], plane_of(host, problem.r, axis)});
  }
  arrays.push_back({"phi", clone<const Complex>(host, problem.phi)});
  write_arrays(host, path, arrays, "mri-q-input");
}

double ms_of(const Context& ctx, const std::function<void()>& work) {
  return bench::time_work(ctx, bench::Effort::brief, work).median_ms;
}

ParboilTimes times_here(const Context& ctx, const Problem& problem) {
  const Context host = ctx.host();
  const ScratchFolder folder;
  const fs::path input = folder / "input.bin";
  write_input(host, problem, input);
  ParboilTimes times;
  times.input = ms_of(host, [&] { read_problem(host, input, 0); });
  Array<float> q = zeros<float>(host, {2, problem.voxels()});
  if (ctx.device().kind == DeviceKind::cuda) {
    const Array<float> there = zeros<float>(ctx, q.shape());
    times.copy = ms_of(ctx, [&] {
      const Problem copied = on_device(ctx, problem);
      copy<float>(ctx, there, q);
    });
  }
  Array<Complex> joined = zeros<Complex>(host, {problem.voxels()});
  const std::array<NamedArray, 1> result{NamedArray{"Q", std::move(joined)}};
  times.output = ms_of(host, [&] { write_arrays(host, folder / "output.bin", result, "mri-q-output"); });
  return times;
}

}  // namespace

ParboilTimes parboil_times(const Context& ctx, const Problem& problem) {
  // The files of a command appear together at its end (AtomicFileGroup), but those of another thread at once.
  return std::async(std::launch::async, [&] { return times_here(ctx, problem); }).get();
}

Table parboil_table(const Context& ctx, const Ladder& ladder, std::span<const ParboilRun> runs) {
  Table table{"parboil",
              "Milliseconds as Parboil divides a run's time, with the library's transform",
              {"size", "input", "copy", "kernel", "output", "all", "kernel of the first step",
               "kernel of the fastest step", "fastest step"},
              {}};
  for (const ParboilRun& run : runs) {
    // The steps of the study come first, then those of the library.
    std::size_t fastest = 0;
    for (std::size_t i = 0; i < run.times.size() && !ladder.steps[i].product; ++i) {
      if (run.times[i].ms < run.times[fastest].ms) fastest = i;
    }
    const auto library = std::find_if(ladder.steps.begin(), ladder.steps.end(),
                                      [](const LadderStep& step) { return step.name == "PositionDft"; });
    const double kernel = run.times[static_cast<std::size_t>(library - ladder.steps.begin())].ms;
    const ParboilTimes times = parboil_times(ctx, *run.problem);
    table.rows.push_back({run.name, times.input, times.copy ? Cell(*times.copy) : Cell(), kernel, times.output,
                          times.input + times.copy.value_or(0) + kernel + times.output, run.times[0].ms,
                          run.times[fastest].ms, ladder.steps[fastest].name});
    ctx.check_cancel("mri_q");
  }
  return table;
}

}  // namespace whorl::studies::mri_q
