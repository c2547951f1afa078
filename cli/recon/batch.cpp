#include "cli/recon/batch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <future>
#include <map>
#include <memory>
#include <new>
#include <optional>

#include "cli/output/file_name.hpp"
#include "cli/output/print.hpp"
#include "cli/output/signals.hpp"
#include "cli/recon/recon_options.hpp"
#include "whorl/comm/agree.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"
#include "whorl/io/file_parts.hpp"
#include "whorl/io/image_type.hpp"
#include "whorl/job/scan_names.hpp"

namespace whorl::cli {

namespace {

namespace fs = std::filesystem;

// Name of a scan: its file's name without folder and ending.
std::string name_of(const std::string& scan) { return file_of(scan).stem().string(); }

// Which input or output has a file's place. Files are known by their names without links.
class Places {
 public:
  struct Owner {
    std::size_t part;  // its number from 1; 0: an input
    std::string scan;

    std::string words() const { return part == 0 ? "an input" : fmt::format("a result of '{}'", scan); }
  };

  // Refuses a file in the place of another owner's.
  void take(const fs::path& file, const Owner& owner) {
    const auto [place, is_new] = taken_.try_emplace(real_path(file), owner);
    if (is_new || place->second.part == owner.part) return;
    refuse_option("--output-dir", complaint(file, place->second, owner));
  }
  // Checks a file of an output whose name is known only later.
  void check(const fs::path& file, const Owner& owner) const {
    const auto place = taken_.find(real_path(file));
    if (place != taken_.end() && place->second.part != owner.part) {
      throw ValueError(complaint(file, place->second, owner));
    }
  }

 private:
  static std::string complaint(const fs::path& file, const Owner& a, const Owner& b) {
    return fmt::format("'{}' would be {} and {}; rename a scan, or use another folder", file.string(), a.words(),
                       b.words());
  }

  std::map<fs::path, Owner> taken_;
};

// What a scan came to.
struct PartResult {
  std::vector<std::string> outputs;
  Index frames = 0;
  int iterations = 0;   // the most of a frame
  double residual = 0;  // the largest at the end; 0: no solver
};

PartResult facts_of(JobResult made) {
  PartResult facts{.outputs = std::move(made.record.outputs)};
  if (made.made.images.rank() > 0) facts.frames = made.made.images.extent(0);
  for (const SolverReport& report : made.made.reports) {
    facts.iterations = std::max(facts.iterations, report.iterations);
    facts.residual = std::max(facts.residual, report.residuals.back());
  }
  return facts;
}

// Whether a batch writes what the option names for each scan: all but the image, which is named by its folder.
bool is_further_output(const OptionDescriptor& what) { return is_output(what.file) && what.name != "output"; }

// The names of these files have the scan's in the place of {}.
void name_further_outputs(ReconRequest& request, const std::string& scan) {
  for (const OptionBinding& option : option_table<ReconRequest>().bindings()) {
    if (!is_further_output(option.what)) continue;
    option.set(&request, with_scan_name(to_text(option.get(&request)), scan));
  }
}

// What becomes of one scan.
struct Part {
  std::string scan;
  ReconRequest request;
  std::unique_ptr<ReconJob> job;
  std::future<void> reading;
  std::future<PartResult> writing;
  std::optional<PartResult> result;
  std::string failure;
  double seconds = 0;  // of its steps
};

// Adds the time of a step.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class Batch {
 public:
  Batch(const ReconWords& words, const Session& session)
      : batch_(words.batch),
        filter_(words.filter),
        session_(session),
        silent_(session.ctx.with(std::shared_ptr<ProgressSink>())) {
    parts_.reserve(words.scans.size());
    check_further_outputs();
    const auto plans = std::make_shared<KeptPlans>();
    for (const fs::path& file : session.files.to_read()) places_.take(file, {0, {}});
    for (const std::string& scan : words.scans) {
      Part& part = parts_.emplace_back();
      part.scan = scan;
      part.request = words.request;
      const std::string name = name_of(scan);
      part.request.scan.file = scan;
      part.request.outputs.image = (fs::path(batch_.folder) / (name + batch_.type)).string();
      part.request.recon.resources.plans = plans;
      name_further_outputs(part.request, scan);
      take_places(part);
    }
  }

  void run() {
    const bool is_new = fs::create_directories(batch_.folder);
    const auto start = std::chrono::steady_clock::now();
    session_.ranks->size() == 1 ? reconstruct_in_turn() : reconstruct_together();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const auto failed = std::count_if(parts_.begin(), parts_.end(), [](const Part& part) { return !part.result; });
    std::error_code ignored;
    if (is_new && failed == std::ssize(parts_)) fs::remove(batch_.folder, ignored);
    if (!session_.quiet) print_table(failed, seconds);
    if (failed == 0) return;
    std::vector<std::string> names;
    for (const Part& part : parts_) {
      if (!part.result) names.push_back(part.scan);
    }
    throw Error(fmt::format("{} of {} scans failed: {}", failed, parts_.size(), fmt::join(names, ", ")));
  }

 private:
  // One name for all scans would be written again and again.
  void check_further_outputs() const {
    const auto& table = option_table<ReconRequest>().bindings();
    for (const FileOption& option : session_.files.options()) {
      if (!option.is_output || option.name == "--output" || option.name == "--output-dir") continue;
      const bool is_known = std::any_of(table.begin(), table.end(), [&](const OptionBinding& of) {
        return is_further_output(of.what) && option.name == "--" + of.what.name;
      });
      for (const std::string& name : option.names()) {
        if (name.empty()) continue;
        if (is_known && name.find(scan_placeholder) != std::string::npos) continue;
        refuse_option(option.name, fmt::format("is '{}', expected a name with {{}} for the name of each scan, such as "
                                               "'{{}}{}'",
                                               name, fs::path(name).filename().string()));
      }
    }
  }

  Places::Owner owner_of(const Part& part) const {
    return {static_cast<std::size_t>(&part - parts_.data()) + 1, part.scan};
  }

  void take_places(const Part& part) {
    const Places::Owner owner = owner_of(part);
    places_.take(part.request.outputs.image, owner);
    places_.take(record_path(part.request.outputs.image), owner);
    if (fs::exists(record_path(part.request.outputs.image))) check_record_path(record_path(part.request.outputs.image));
    for (const FileOption& option : session_.files.options()) {
      if (!option.is_output || option.name == "--output-dir") continue;
      for (const std::string& pattern : option.names()) {
        if (pattern.empty()) continue;
        const std::string name = with_scan_name(pattern, part.scan);
        if (!option.kind.files) {
          places_.take(name, owner);
        } else {
          for (const fs::path& file : option.kind.files(name)) places_.take(file, owner);
        }
      }
    }
  }

  void begin(Part& part) {
    JobResources with =
        resources_of(session_, filter_,
                     [this, owner = owner_of(part)](const std::string& /*output*/, std::span<const fs::path> written) {
                       for (const fs::path& file : written) {
                         places_.check(file, owner);
                         const AtomicFile trial(file);
                       }
                     });
    part.job = std::make_unique<ReconJob>(std::move(part.request), std::move(with));
  }

  // Does a step of a part's work. Its failure is the part's alone; false: there was one, now or before.
  template <class Step>
  bool attempt(Part& part, const Step& step) {
    if (!part.failure.empty()) return false;
    try {
      step();
      return true;
    } catch (const Cancelled&) {
      throw;
    } catch (const RanksFailed& error) {
      if (error.is_cancelled()) throw;
      part.failure = error.what();
    } catch (const std::bad_alloc&) {
      part.failure = "out of memory";
    } catch (const std::exception& error) {
      part.failure = error.what();
    }
    report(part, session_.writes());
    return false;
  }

  // While a scan is reconstructed, threads read the next one and write the results of the one before.
  void reconstruct_in_turn() {
    read_in_thread(parts_.front());
    start_device();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      Part* const next = i + 1 < parts_.size() ? &parts_[i + 1] : nullptr;
      const std::string title = fmt::format("{} ({} of {})", parts_[i].scan, i + 1, parts_.size());
      const ProgressStage stage(session_.ctx, title, 0);
      reconstruct(parts_[i], next);
      if (next != nullptr && next->job == nullptr) {
        if (i > 0) finish(parts_[i - 1]);
        finish(parts_[i]);  // no room for both
        read_in_thread(*next);
      } else if (i > 0) {
        finish(parts_[i - 1]);
      }
    }
    finish(parts_.back());
  }

  void start_device() const {
    try {
      static_cast<void>(session_.devices());
    } catch (const DeviceError&) {
      return;  // it is a failure of each scan, by the same words
    }
  }

  void read_in_thread(Part& part) {
    attempt(part, [&] { begin(part); });
    if (part.job == nullptr) return;
    part.reading = std::async(std::launch::async, [this, &part] {
      const Stopwatch watch(part.seconds);
      part.job->read(silent_);
    });
  }

  void reconstruct(Part& part, Part* next) {
    attempt(part, [&] {
      part.reading.get();
      const Stopwatch watch(part.seconds);
      const Index bytes = part.job->plan();
      if (next != nullptr && has_room(*next, bytes)) read_in_thread(*next);
      part.job->reconstruct();
      part.writing = std::async(std::launch::async, [this, &part] { return write(part); });
    });
    if (next != nullptr && next->job == nullptr && !part.failure.empty()) read_in_thread(*next);
  }

  // Whether a scan can be read beside a reconstruction that takes so many bytes on its device. In memory its data and
  // positions take at most twice the room of its file.
  bool has_room(const Part& next, Index bytes) const {
    std::error_code unknown;
    const std::uintmax_t file = fs::file_size(next.scan, unknown);
    if (unknown) return true;  // reading it fails
    const bool on_gpu = session_.device().device().kind != DeviceKind::cpu;
    const double needed = 2 * static_cast<double>(file) + (on_gpu ? 0 : static_cast<double>(bytes));
    return needed <= static_cast<double>(session_.ctx.pool().limit());
  }

  PartResult write(Part& part) {
    const Stopwatch watch(part.seconds);
    AtomicFileGroup results;  // of this thread
    PartResult made = facts_of(part.job->finish(silent_));
    silent_.check_cancel("writing files");
    const HoldSignals names;
    results.commit();
    return made;
  }

  // Waits for the results.
  void finish(Part& part) {
    if (part.writing.valid()) attempt(part, [&] { part.result = part.writing.get(); });
    part.job.reset();
  }

  // Several processes all do the same steps at the same time.
  void reconstruct_together() {
    for (Part& part : parts_) {
      const std::string title = fmt::format("{} ({} of {})", part.scan, owner_of(part).part, parts_.size());
      const ProgressStage stage(session_.ctx, title, 0);
      const bool done = attempt(part, [&] {
        const Stopwatch watch(part.seconds);
        AtomicFileGroup results;
        agree(*session_.ranks, [&] {
          begin(part);
          part.job->read(session_.ctx);
          part.job->plan();
          part.job->reconstruct();
          part.result = facts_of(part.job->finish(session_.ctx));
          results.commit();
        });
      });
      if (done) session_.keep_results();
      part.job.reset();
    }
  }

  static void report(Part& part, bool speaks) {
    part.result.reset();
    std::replace(part.failure.begin(), part.failure.end(), '\n', ' ');
    if (speaks) print_error(fmt::format("whorl: '{}' failed: {}\n", part.scan, part.failure));
  }

  void print_table(Index failed, double seconds) const {
    std::size_t width = 4;
    for (const Part& part : parts_) width = std::max(width, part.scan.size());
    std::string text = fmt::format("{:<{}}  {:>6}  {:>10}  {:>8}  {:>8}  result\n", "scan", width, "frames",
                                   "iterations", "residual", "seconds");
    for (const Part& part : parts_) {
      if (part.result) {
        text += fmt::format("{:<{}}  {:>6}  {:>10}  {:>8.2e}  {:>8.3f}  {}\n", part.scan, width, part.result->frames,
                            part.result->iterations, part.result->residual, part.seconds,
                            fmt::join(part.result->outputs, ", "));
      } else {
        text += fmt::format("{:<{}}  {:>6}  {:>10}  {:>8}  {:>8.3f}  failed\n", part.scan, width, "-", "-", "-",
                            part.seconds);
      }
    }
    const auto scans = static_cast<Index>(parts_.size());
    text += fmt::format("{} of {} scans in {:.3f} s, {:.3f} s each.\n", scans - failed, scans, seconds,
                        seconds / static_cast<double>(scans));
    print(text);
  }

  const BatchWords& batch_;
  const std::string& filter_;
  const Session& session_;
  Context silent_;  // of the threads, which show no progress
  Places places_;
  std::vector<Part> parts_;
};

}  // namespace

void add_batch_options(App& app, BatchWords& words) {
  app.add_output(
         "--output-dir", words.folder, folder_output({}),
         "Folder for the images of several scans, each named after its scan; {} in names of other outputs stands "
         "for the name of each scan")
      ->excludes("--output");
  app.add_word("--output-type", words.type, "Format of the images in the folder")
      ->check(is_member(image_endings()))
      ->capture_default_str()
      ->when("--output-dir", [&words] { return !words.folder.empty(); });
}

void reconstruct_batch(const ReconWords& words, const Session& session) { Batch(words, session).run(); }

}  // namespace whorl::cli
