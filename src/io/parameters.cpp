#include "whorl/io/parameters.hpp"

namespace whorl {

Parameters parameters_of(const void* options, const OptionSet& table,
                         const std::function<bool(const OptionDescriptor&)>& takes) {
  Parameters parameters;
  for (std::size_t i = 0; i < table.bindings().size(); ++i) {
    const OptionDescriptor& what = table.bindings()[i].what;
    if (!takes(what) || !table.applies_to(options, i)) continue;
    const OptionValue value = table.get_value(options, i);
    if (const auto* on = std::get_if<bool>(&value)) {
      parameters.emplace_back(what.record, *on);
    } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      parameters.emplace_back(what.record, *whole);
    } else if (const auto* number = std::get_if<double>(&value)) {
      parameters.emplace_back(what.record, *number);
    } else if (!std::holds_alternative<std::monostate>(value)) {
      parameters.emplace_back(what.record, to_text(value));
    }
  }
  return parameters;
}

void append(Parameters& parameters, const Parameters& more) {
  parameters.insert(parameters.end(), more.begin(), more.end());
}

}  // namespace whorl
