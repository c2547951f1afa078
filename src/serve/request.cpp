#include "serve/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/close_words.hpp"
#include "io/bytes/printable.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/option_table.hpp"
#include "whorl/io/option_tables.hpp"
#include "whorl/recon/option_tables.hpp"
#include "whorl/recon/usual_lambda.hpp"

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
                   "arrive; 0: those of a frame, and at least as many as sample the calibration region");
  return table;
}

namespace serve {

namespace {

struct Table {
  const OptionSet* options;
  void* values;
};

std::array<Table, 4> tables_of(Request& request) {
  return {Table{&option_table<ReconOptions>(), &request.recon}, Table{&option_table<FrameOptions>(), &request.frames},
          Table{&option_table<ScanReadOptions>(), &request.read}, Table{&option_table<SendOptions>(), &request.send}};
}

// The weight and the terms, which the command line reads in a way of its own.
bool may_be_set(const OptionDescriptor& option) {
  return (option.on_command_line || option.name == "lambda" || option.name == "regularize") &&
         option.file == FileUse::none && option.name != "group";
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
        if (bindings[i].what.name != name || bindings[i].what.file == FileUse::none) continue;
        throw ValueError(fmt::format("'{}' names a file, which a client may not; leave it out", io::printable(name)));
      }
      if (bindings[i].what.name == name) return {table, i};
      names.push_back(bindings[i].what.name);
    }
  }
  throw ValueError(fmt::format("'{}' is no option of a reconstruction{}; the names are those of whorl recon --help all",
                               io::printable(name), did_you_mean(close_words(name, names))));
}

}  // namespace

bool RequestMaker::has(const std::string& name) const {
  return std::find(given_.begin(), given_.end(), name) != given_.end();
}

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
  const bool weighs_samples = request.frames.gating.soft > 0;
  if (!has("lambda")) use_usual_lambda(request.recon, weighs_samples, false);
  // Frames that are made anew have too few samples each. Weighted samples are not joined.
  if (request.frames.any() && !has("maps-from") && !weighs_samples) {
    request.recon.maps_from = CoilMapData::all_frames;
  }
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
