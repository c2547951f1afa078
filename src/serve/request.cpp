#include "serve/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/close_words.hpp"
#include "io/bytes/printable.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/option_table.hpp"

namespace whorl {

template <>
const OptionTable<serve::SendOptions>& option_table<serve::SendOptions>() {
  using Send = serve::SendOptions;
  static const OptionTable<Send> table =
      OptionTable<Send>("what is sent")
          .group("Images")
          .choice("output", &Send::output,
                  {{"magnitude", serve::ImageOutput::magnitude}, {"complex", serve::ImageOutput::complex}},
                  "What is sent of an image: its magnitude in float, or its complex values")
          .integer("calibration-readouts", &Send::calibration_readouts, OptionRange::at_least(0), "",
                   "Readouts of a slice that coil maps and noise are estimated from, where frames are sent while data "
                   "arrive; 0: those of a frame, and at least as many as sample the calibration region")
          .integer(
              "frames-together", &Send::frames_together, {0, 1000}, "",
              "Frames that are solved together where terms couple them, each with those before it and sent as soon "
              "as it is full; 0: all of the measurement, at its end");
  return table;
}

namespace serve {

namespace {

struct Table {
  const OptionSet* options;
  void* values;
};

// The first that has an option counts: the server writes no image file, so "output" is what it sends.
std::array<Table, 2> tables_of(Request& request) {
  return {Table{&option_table<SendOptions>(), &request.send}, Table{&option_table<ReconRequest>(), &request.job}};
}

// Nor a folder, or a place in a file.
constexpr std::array places{std::string_view("group"), std::string_view("temp-dir")};

bool names_file(const OptionDescriptor& option) {
  return option.file != FileUse::none || std::find(places.begin(), places.end(), option.name) != places.end();
}

// The weight and the terms, which the command line reads in a way of its own.
bool may_be_set(const OptionDescriptor& option) {
  return (option.on_command_line || option.name == "lambda" || option.name == "regularize") && !names_file(option);
}

// Where an option lies: its table and its number there.
struct Found {
  Table table{};
  std::size_t number = 0;
};

Found find_option(Request& request, const std::string& name) {
  std::vector<std::string> names;
  for (const Table& table : tables_of(request)) {
    const auto& bindings = table.options->bindings();
    for (std::size_t i = 0; i < bindings.size(); ++i) {
      if (!may_be_set(bindings[i].what)) {
        if (bindings[i].what.name != name || !names_file(bindings[i].what)) continue;
        throw ValueError(
            fmt::format("'{}' names a file or a folder, which a client may not; leave it out", io::printable(name)));
      }
      if (bindings[i].what.name == name) return {table, i};
      names.push_back(bindings[i].what.name);
    }
  }
  throw ValueError(fmt::format("'{}' is no option of a reconstruction{}; the names are those of whorl recon --help all",
                               io::printable(name), did_you_mean(close_words(name, names))));
}

}  // namespace

void RequestMaker::set(const std::string& name, const OptionValue& value) {
  const Found found = find_option(request_, name);
  found.table.options->set_value(found.table.values, found.number, value);
  given_.push_back(name);
}

bool RequestMaker::is_option(const std::string& name) {
  Request request;
  const auto tables = tables_of(request);
  return std::any_of(tables.begin(), tables.end(), [&](const Table& table) {
    const auto& bindings = table.options->bindings();
    return std::any_of(bindings.begin(), bindings.end(),
                       [&](const OptionBinding& one) { return may_be_set(one.what) && one.what.name == name; });
  });
}

Request RequestMaker::finish() const {
  Request request = request_;
  settle(request.job);
  for (const std::string& name : given_) {
    const Found found = find_option(request, name);
    if (found.table.options->applies_to(found.table.values, found.number)) continue;
    throw ValueError(fmt::format("'{}' has no effect here, it is for {}; leave it out", name,
                                 found.table.options->bindings()[found.number].what.applies));
  }
  for (const Table& table : tables_of(request)) table.options->check_values(table.values);
  return request;
}

}  // namespace serve
}  // namespace whorl
