#include "cli/options/command_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/command_line.hpp"
#include "cli/output/file_name.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"
#include "whorl/io/file_parts.hpp"
#include "whorl/io/record.hpp"

namespace whorl::cli {

namespace fs = std::filesystem;

fs::path real_path(fs::path path) {
  std::error_code error;
  constexpr int longest_chain = 40;  // Linux's own limit
  for (int link = 0; link < longest_chain && fs::is_symlink(path, error); ++link) {
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path : whole;
}

namespace {

// A file that the command reads or writes, and what for.
struct Place {
  fs::path file;
  const FileOption* option;
  std::string name;  // as it was given
  bool is_record = false;
};

// "results/" is the folder results.
fs::path without_slash(const fs::path& folder) { return folder.has_filename() ? folder : folder.parent_path(); }

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) || real_path(a) == real_path(b);
}

// Is `file` one of those that a folder is written with?
bool is_in_folder(const FileOption& folder, const std::string& name, const fs::path& file) {
  const fs::path above = real_path(without_slash(name));
  const fs::path whole = real_path(file);
  const auto [end, ignored] = std::mismatch(above.begin(), above.end(), whole.begin(), whole.end());
  if (end != above.end()) return false;
  const std::string last = whole.filename().string();
  return std::any_of(folder.kind.in_folder.begin(), folder.kind.in_folder.end(),
                     [&](const std::string& ending) { return last.ends_with(ending); });
}

// The folder of two places that may get a file of the other's name; null: none.
const Place* folder_around(const Place& a, const Place& b) {
  if (a.option->kind.is_folder && is_in_folder(*a.option, a.name, b.file)) return &a;
  if (b.option->kind.is_folder && is_in_folder(*b.option, b.name, a.file)) return &b;
  return nullptr;
}

std::vector<std::string> given(const FileOption& option) {
  std::vector<std::string> names = option.names();
  std::erase_if(names, [&](const std::string& name) {
    return name.empty() || (option.is_output && option.kind.may_print && name == "-");
  });
  return names;
}

std::vector<Place> inputs_of(std::span<const FileOption> options) {
  std::vector<Place> places;
  for (const FileOption& option : options) {
    if (option.is_output) continue;
    for (const std::string& name : given(option)) {
      for (fs::path& file : files_to_read(file_of(name))) places.push_back({std::move(file), &option, name});
    }
  }
  return places;
}

std::vector<Place> outputs_of(std::span<const FileOption> options) {
  std::vector<Place> places;
  std::optional<Place> record;
  for (const FileOption& option : options) {
    if (!option.is_output) continue;
    for (const std::string& name : given(option)) {
      if (!option.kind.files) {
        places.push_back({name, &option, name});
      } else {
        for (fs::path& file : option.kind.files(name)) places.push_back({std::move(file), &option, name});
      }
      if (option.kind.has_record && !record) record = Place{record_path(name), &option, name, true};
    }
  }
  if (record) places.push_back(*record);
  return places;
}

// "'i.png'", "'scan_traj.cfl', which is written beside 'scan.cfl',": the file and, where it has another name than
// the output, why.
std::string words_of(const Place& output) {
  const std::string file = output.file.string();
  if (output.is_record) return fmt::format("'{}', the record of the run,", file);
  if (file == output.name) return fmt::format("'{}'", file);
  return fmt::format("'{}', which is written with '{}',", file, output.name);
}

// What is wrong with two places, one of them an output. Empty: nothing.
std::string collision_of(const Place& output, const Place& other) {
  const std::string whose =
      other.name == output.name ? other.option->name : fmt::format("{} {}", other.option->name, other.name);
  if (const Place* folder = folder_around(output, other)) {
    const Place& file = folder == &output ? other : output;
    return fmt::format("files in '{}' may replace '{}' ({}); give another name", folder->name, file.file.string(),
                       whose);
  }
  if (!is_same_file(output.file, other.file)) return {};
  if (!other.option->is_output)
    return fmt::format("{} is an input ({}); give the output another name", words_of(output), whose);
  return fmt::format("{} is also an output of {}{}; give each output a name of its own", words_of(output),
                     other.option->name, other.is_record ? ", its record" : "");
}

std::string collision_of(const Place& output, std::span<const Place> inputs, std::span<const Place> outputs) {
  for (const Place& input : inputs) {
    std::string collision = collision_of(output, input);
    if (!collision.empty()) return collision;
  }
  for (const Place& other : outputs) {
    // The files of one output do not meet each other.
    if (other.option == output.option && other.is_record == output.is_record) continue;
    std::string collision = collision_of(output, other);
    if (!collision.empty()) return collision;
  }
  return {};
}

void check_folder(const FileOption& option, const fs::path& folder) {
  std::error_code error;
  const fs::file_type type = fs::status(folder, error).type();
  if (type == fs::file_type::directory) {
    const AtomicFile trial(folder / ".whorl-trial");  // not committed: it proves that it could be made, and vanishes
    return;
  }
  if (type != fs::file_type::not_found) {
    throw IoError(
        fmt::format("cannot write into '{}' ({}): it is no folder; name another folder", folder.string(), option.name));
  }
  if (!option.kind.makes_folder) {
    throw IoError(fmt::format("cannot write into '{}' ({}): there is no such folder; create it first", folder.string(),
                              option.name));
  }
  const AtomicFile trial(without_slash(folder));
}

// Whether a file will lie in a folder that is an output too, and is made before it.
bool is_in_new_folder(const fs::path& file, std::span<const Place> outputs) {
  const fs::path folder = real_path(file).parent_path();
  return !fs::exists(folder) && std::any_of(outputs.begin(), outputs.end(), [&](const Place& other) {
    return other.option->kind.makes_folder && real_path(without_slash(other.file)) == folder;
  });
}

void check_can_write(const Place& output, std::span<const Place> outputs) {
  if (output.option->kind.is_folder && !output.is_record) return check_folder(*output.option, output.file);
  if (is_in_new_folder(output.file, outputs)) return;  // that can be made: the folder is checked
  if (output.is_record) return check_record_path(output.file);
  const AtomicFile trial(output.file);
}

}  // namespace

void CommandFiles::add_input(std::string option, Names names) {
  options_.push_back({std::move(option), false, {}, std::move(names)});
}

void CommandFiles::add_output(std::string option, OutputKind kind, Names names) {
  options_.push_back({std::move(option), true, std::move(kind), std::move(names)});
}

std::vector<fs::path> CommandFiles::to_read() const {
  std::vector<fs::path> files;
  for (Place& input : inputs_of(options_)) {
    if (std::find(files.begin(), files.end(), input.file) == files.end()) files.push_back(std::move(input.file));
  }
  return files;
}

std::vector<std::string> CommandFiles::to_write() const {
  std::vector<std::string> names;
  for (const FileOption& option : options_) {
    if (!option.is_output) continue;
    for (std::string& name : given(option)) names.push_back(std::move(name));
  }
  return names;
}

void CommandFiles::check(bool writes) const {
  for (const FileOption& option : options_) {
    const std::vector<std::string> names = given(option);
    if (option.is_output && std::find(names.begin(), names.end(), "-") != names.end()) {
      refuse_option(option.name, "'-' is standard output, and this output needs the name of a file");
    }
  }
  const std::vector<Place> inputs = inputs_of(options_);
  const std::vector<Place> outputs = outputs_of(options_);
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    const std::string collision = collision_of(*output, inputs, {outputs.begin(), output});
    if (!collision.empty()) refuse_option(output->option->name, collision);
  }
  if (!writes) return;
  for (const Place& output : outputs) check_can_write(output, outputs);
}

void CommandFiles::check_written(const std::string& name, std::span<const fs::path> files) const {
  const std::vector<Place> inputs = inputs_of(options_);
  const std::vector<Place> outputs = outputs_of(options_);
  const auto whose = std::find_if(outputs.begin(), outputs.end(),
                                  [&](const Place& output) { return output.name == name && !output.is_record; });
  if (whose == outputs.end()) return;
  for (const fs::path& file : files) {
    const std::string collision = collision_of({file, whose->option, name}, inputs, outputs);
    if (!collision.empty()) throw ValueError(fmt::format("{}: {}", whose->option->name, collision));
    const AtomicFile trial(file);
  }
}

}  // namespace whorl::cli
