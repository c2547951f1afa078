#include "cli/recon/batch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <new>
#include <optional>

#include "cli/output/file_name.hpp"
#include "whorl/comm/agree.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* placeholder = "{}";

std::string filled_in(std::string text, const std::string& name) {
  for (std::size_t at = 0; (at = text.find(placeholder, at)) != std::string::npos; at += name.size()) {
    text.replace(at, 2, name);
  }
  return text;
}

// Of a scan: its file's name without folder and ending.
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
  // The same for what is known of an output later.
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

// What becomes of one scan.
struct Part {
  std::string scan;
  ReconRequest request;
  std::optional<ReconResult> result;
  std::string failure;
  double seconds = 0;
};

class Batch {
 public:
  Batch(const ReconRequest& request, const Session& session) : batch_(request.batch), session_(session) {
    check_further_outputs(request);
    const auto plans = std::make_shared<KeptPlans>();
    for (const fs::path& file : session.files.to_read()) places_.take(file, {0, {}});
    for (const std::string& scan : request.scans) {
      Part& part = parts_.emplace_back(Part{scan, request, {}, {}, 0});
      const std::string name = name_of(scan);
      part.request.scan = scan;
      part.request.output = (fs::path(batch_.folder) / (name + batch_.type)).string();
      part.request.recon.plans = plans;
      for (std::string* output : part.request.further_outputs()) *output = filled_in(*output, name);
      take_places(part);
    }
  }

  void run() {
    const bool is_new = fs::create_directories(batch_.folder);
    for (Part& part : parts_) reconstruct(part);
    const auto failed = std::count_if(parts_.begin(), parts_.end(), [](const Part& part) { return !part.result; });
    std::error_code ignored;
    if (is_new && failed == std::ssize(parts_)) fs::remove(batch_.folder, ignored);
    if (!session_.quiet) print_table(failed);
    if (failed == 0) return;
    std::vector<std::string> names;
    for (const Part& part : parts_) {
      if (!part.result) names.push_back(part.scan);
    }
    throw Error(fmt::format("{} of {} scans failed: {}", failed, parts_.size(), fmt::join(names, ", ")));
  }

 private:
  // One name for all scans would be written again and again.
  void check_further_outputs(ReconRequest request) const {
    const std::vector<std::string*> known = request.further_outputs();
    for (const FileOption& option : session_.files.options()) {
      if (!option.is_output || option.name == "--output" || option.name == "--output-dir") continue;
      for (const std::string& name : option.names()) {
        if (name.empty()) continue;
        const bool is_known = std::any_of(known.begin(), known.end(), [&](const auto* of) { return *of == name; });
        if (is_known && name.find(placeholder) != std::string::npos) continue;
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
    places_.take(part.request.output, owner);
    places_.take(record_path(part.request.output), owner);
    if (fs::exists(record_path(part.request.output))) check_record_path(record_path(part.request.output));
    for (const FileOption& option : session_.files.options()) {
      if (!option.is_output || option.name == "--output-dir") continue;
      for (const std::string& pattern : option.names()) {
        if (pattern.empty()) continue;
        const std::string name = filled_in(pattern, name_of(part.scan));
        if (!option.kind.files) {
          places_.take(name, owner);
        } else {
          for (const fs::path& file : option.kind.files(name)) places_.take(file, owner);
        }
      }
    }
  }

  // The files that a part reads, for its record.
  CommandFiles files_of(const Part& part) const {
    CommandFiles files;
    files.add_input("scan", [&part] { return std::vector{part.scan}; });
    for (const FileOption& option : session_.files.options()) {
      if (!option.is_output && option.name != "scan") files.add_input(option.name, option.names);
    }
    return files;
  }

  void reconstruct(Part& part) {
    const auto start = std::chrono::steady_clock::now();
    const std::string title = fmt::format("{} ({} of {})", part.scan, owner_of(part).part, parts_.size());
    try {
      const ProgressStage stage(session_.ctx, title, 0);
      AtomicFileGroup results;
      const CommandFiles files = files_of(part);
      const Places::Owner owner = owner_of(part);
      agree(*session_.ranks, [&] {
        part.result = reconstruct_file(part.request, session_.with(files),
                                       [&](const std::string& /*output*/, std::span<const fs::path> written) {
                                         for (const fs::path& file : written) {
                                           places_.check(file, owner);
                                           const AtomicFile trial(file);
                                         }
                                       });
        results.commit();
      });
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
    if (part.failure.empty()) session_.keep_results();
    part.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!part.failure.empty()) report(part, session_.writes());
    part.request = {};  // its copy of references and maps
  }

  static void report(Part& part, bool speaks) {
    part.result.reset();
    std::replace(part.failure.begin(), part.failure.end(), '\n', ' ');
    if (speaks) std::fputs(fmt::format("whorl: '{}' failed: {}\n", part.scan, part.failure).c_str(), stderr);
  }

  void print_table(Index failed) const {
    std::size_t width = 4;
    for (const Part& part : parts_) width = std::max(width, part.scan.size());
    std::string text = fmt::format("{:<{}}  {:>6}  {:>10}  {:>8}  {:>8}  result\n", "scan", width, "frames",
                                   "iterations", "residual", "seconds");
    double seconds = 0;
    for (const Part& part : parts_) {
      seconds += part.seconds;
      if (part.result) {
        text += fmt::format("{:<{}}  {:>6}  {:>10}  {:>8.2e}  {:>8.3f}  {}\n", part.scan, width, part.result->frames,
                            part.result->iterations, part.result->residual, part.seconds,
                            fmt::join(part.result->record.outputs, ", "));
      } else {
        text += fmt::format("{:<{}}  {:>6}  {:>10}  {:>8}  {:>8.3f}  failed\n", part.scan, width, "-", "-", "-",
                            part.seconds);
      }
    }
    const auto scans = static_cast<Index>(parts_.size());
    text += fmt::format("{} of {} scans in {:.3f} s, {:.3f} s each.\n", scans - failed, scans, seconds,
                        seconds / static_cast<double>(scans));
    std::fputs(text.c_str(), stdout);
  }

  const BatchRequest& batch_;
  const Session& session_;
  Places places_;
  std::vector<Part> parts_;
};

}  // namespace

void add_batch_options(App& app, BatchRequest& request) {
  app.add_output(
         "--output-dir", request.folder, folder_output({}),
         "Folder for the images of several scans, each named after its scan; {} in names of other outputs stands "
         "for the name of each scan")
      ->excludes("--output");
  app.add_word("--output-type", request.type, "Format of the images in the folder")
      ->check(is_member({".nii.gz", ".nii", ".npy", ".h5", ".dcm", ".png"}))
      ->capture_default_str()
      ->when("--output-dir", [&request] { return !request.folder.empty(); });
}

void reconstruct_batch(const ReconRequest& request, const Session& session) { Batch(request, session).run(); }

}  // namespace whorl::cli
