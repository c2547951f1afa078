// Options are described once (core/options.hpp, core/option_table.hpp). An OptionTable binds name, default, range, unit
// and help to the members of a struct, and takes over the table of a member struct (.part). Each folder declares its
// tables in option_tables.hpp: option_table<NufftOptions>(). The command line and its help (add_options in
// cli/options/table_options.hpp), the record of a run (parameters_of) and the keywords of the Python package are made
// from the tables. Types, words, defaults and ranges are data, and values go in and out without their C++ type
// (OptionValue, OptionSet). The table checks ranges when it reads a text; check_options(options) checks them when the
// library takes a struct. All messages have one form: "nufft: tolerance is 2, expected a number, above 0, below 1".
// .when states the condition under which an option has an effect. Otherwise the option is neither checked nor recorded,
// and the program refuses it if it was given (App::check_effects, after all options of a command were read). Options
// outside of tables, and conditions that a table cannot know, have Option::when. A limit that depends on data (number
// of coils, extent of an image) is checked where the data are.
#include "whorl/core/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/close_words.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

template <class T>
std::string joined(const std::vector<T>& values) {
  return fmt::format("{}", fmt::join(values, ","));
}

template <class T>
std::optional<T> number_in(const std::string& text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::optional<std::int64_t> integer_in(const std::string& text, bool is_unsigned) {
  if (!is_unsigned) return number_in<std::int64_t>(text);
  const auto value = number_in<std::uint64_t>(text);
  return value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
}

// Between commas and blanks.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  constexpr const char* separators = ", \t";
  for (std::size_t at = text.find_first_not_of(separators); at != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(separators, end);
  }
  return parts;
}

bool is_one_of(const std::string& word, const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

template <class T, class Read>
std::optional<OptionValue> list_of(const std::vector<std::string>& parts, const Read& read) {
  std::vector<T> values;
  for (const std::string& part : parts) {
    const auto value = read(part);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

// "3 ms" of an option in ms is 3.
std::string without_unit(const std::string& text, const std::string& unit) {
  if (unit.empty() || !text.ends_with(unit)) return text;
  const std::string number = text.substr(0, text.size() - unit.size());
  return number.substr(0, number.find_last_not_of(' ') + 1);
}

// The value of a text by its type alone.
std::optional<OptionValue> parsed(const OptionBinding& binding, const std::string& text) {
  const OptionDescriptor& what = binding.what;
  const auto integer = [&](const std::string& part) { return integer_in(part, binding.is_unsigned); };
  switch (what.type) {
    case OptionType::flag:
      // What people write for yes and no in other programs.
      if (text == "on" || text == "off") return text == "on";
      if (!is_one_of(text, what.choices)) return std::nullopt;
      return text == "yes";
    case OptionType::integer:
      if (is_one_of(text, what.choices)) return text;
      return integer(without_unit(text, what.unit));
    case OptionType::number:
      if (is_one_of(text, what.choices)) return text;
      return number_in<double>(without_unit(text, what.unit));
    case OptionType::integers:
      return list_of<std::int64_t>(parts_of(text), integer);
    case OptionType::numbers:
      if (is_one_of(text, what.choices)) return text;
      return list_of<double>(parts_of(text), &number_in<double>);
    case OptionType::texts:
      return parts_of(text);
    default:
      return text;
  }
}

// A program's number is taken for a number of another type where nothing is lost.
OptionValue as_type(const OptionValue& value, OptionType type) {
  if (const auto* whole = std::get_if<std::int64_t>(&value); whole != nullptr && type == OptionType::number) {
    return static_cast<double>(*whole);
  }
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value);
      list != nullptr && type == OptionType::numbers) {
    return std::vector<double>(list->begin(), list->end());
  }
  return value;
}

bool has_type(const OptionValue& value, OptionType type) {
  switch (type) {
    case OptionType::flag:
      return std::holds_alternative<bool>(value);
    case OptionType::integer:
      return std::holds_alternative<std::int64_t>(value);
    case OptionType::number:
      return std::holds_alternative<double>(value);
    case OptionType::integers:
      return std::holds_alternative<std::vector<std::int64_t>>(value);
    case OptionType::numbers:
      return std::holds_alternative<std::vector<double>>(value);
    case OptionType::texts:
      return std::holds_alternative<std::vector<std::string>>(value);
    default:
      return std::holds_alternative<std::string>(value);
  }
}

std::string quoted(const OptionValue& value) {
  const bool plain = std::holds_alternative<double>(value) || std::holds_alternative<std::int64_t>(value);
  return plain ? to_text(value) : fmt::format("'{}'", to_text(value));
}

// The name in the spelling of records: "espirit_kernel".
std::string key_of(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string kind_of(const OptionDescriptor& what) {
  const bool several = what.most_values != 1;
  switch (what.type) {
    case OptionType::integer:
      return "a whole number";
    case OptionType::number:
      return "a number";
    case OptionType::integers:
      return several ? "whole numbers" : "a whole number";
    case OptionType::numbers:
      return several ? "numbers" : "a number";
    default:
      return {};
  }
}

// "2 to 3 ", "2 ": how many values a list has.
std::string count_of(const OptionDescriptor& what) {
  if (!what.is_list() || what.most_values == 0) return {};
  if (what.least_values == what.most_values) return fmt::format("{} ", what.most_values);
  return fmt::format("{} to {} ", what.least_values, what.most_values);
}

}  // namespace

std::string to_text(const OptionValue& value) {
  struct {
    std::string operator()(std::monostate /*none*/) const { return {}; }
    std::string operator()(bool on) const { return on ? "yes" : "no"; }
    std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
    std::string operator()(double number) const { return fmt::format("{}", number); }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(const std::vector<std::int64_t>& list) const { return joined(list); }
    std::string operator()(const std::vector<double>& list) const { return joined(list); }
    std::string operator()(const std::vector<std::string>& list) const { return joined(list); }
  } const text;
  return std::visit(text, value);
}

OptionRange OptionRange::bounded(double bound, bool open) {
  OptionRange range;
  range.low = bound;
  range.above = open;
  return range;
}

OptionRange OptionRange::ended(double bound, bool open) const {
  OptionRange range = *this;
  range.high = bound;
  range.below = open;
  return range;
}

bool OptionRange::contains(double value) const {
  return std::isfinite(value) && (above ? value > low : value >= low) && (below ? value < high : value <= high);
}

std::string OptionRange::text() const {
  const bool starts = std::isfinite(low);
  const bool ends = std::isfinite(high);
  if (starts && ends && !above && !below) return fmt::format("{} to {}", low, high);
  std::string first;
  if (starts) first = above ? fmt::format("above {}", low) : fmt::format("{} or more", low);
  if (!ends) return first;
  if (!starts) return below ? fmt::format("below {}", high) : fmt::format("{} or less", high);
  return fmt::format("{}, {} {}", first, below ? "below" : "up to", high);
}

std::string OptionDescriptor::expected() const {
  std::string text = count_of(*this) + kind_of(*this);
  const std::string numbers = range.text();
  if (!numbers.empty()) text += ", " + numbers;
  if (!unit.empty()) text += (numbers.empty() ? " in " : " ") + unit;
  if (!condition.empty()) text += ", " + condition;
  if (choices.empty()) return text.empty() ? "a text" : text;
  if (type == OptionType::texts) return text + (text.empty() ? "" : "of ") + alternatives(choices);
  return (text.empty() ? "" : text + ", or ") + alternatives(choices);
}

std::vector<OptionDescriptor> OptionSet::descriptors() const {
  std::vector<OptionDescriptor> all;
  for (const OptionBinding& binding : bindings_) all.push_back(binding.what);
  return all;
}

std::size_t OptionSet::index_of(std::string_view name) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < bindings_.size(); ++i) {
    if (bindings_[i].what.name == name) return i;
    names.push_back(bindings_[i].what.name);
  }
  throw ValueError(fmt::format("{}: no option '{}'{}; it has {}", title_, name, did_you_mean(close_words(name, names)),
                               names.empty() ? std::string("none") : fmt::format("{}", fmt::join(names, ", "))));
}

std::string OptionSet::get_text(const void* options, std::size_t option) const {
  const OptionValue value = get_value(options, option);
  if (std::holds_alternative<std::monostate>(value)) return bindings_[option].what.fallback.value_or("");
  const auto* whole = std::get_if<std::int64_t>(&value);
  if (whole != nullptr && bindings_[option].is_unsigned) return fmt::format("{}", static_cast<std::uint64_t>(*whole));
  return to_text(value);
}

std::string OptionSet::complaint(const OptionBinding& binding, const OptionValue& value) const {
  const OptionDescriptor& what = binding.what;
  const auto refused = [&] { return fmt::format("is {}, expected {}", quoted(value), what.expected()); };
  const auto unknown = [&](const std::string& word) {
    return refused() + did_you_mean(close_words(word, what.choices));
  };
  const auto fits = [&](double number) {
    return what.range.contains(number) && (!binding.condition || binding.condition(number));
  };
  if (std::holds_alternative<std::monostate>(value)) return {};
  if (const auto* word = std::get_if<std::string>(&value)) {
    const bool number = what.type != OptionType::text;
    return (number || !what.choices.empty()) && !is_one_of(*word, what.choices) ? unknown(*word) : std::string();
  }
  if (!has_type(value, what.type)) return refused();
  if (const auto* number = std::get_if<double>(&value)) return fits(*number) ? std::string() : refused();
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    const double number =
        binding.is_unsigned ? static_cast<double>(static_cast<std::uint64_t>(*whole)) : static_cast<double>(*whole);
    if (number > binding.largest) return fmt::format("is {}, expected {} at most", quoted(value), binding.largest);
    return fits(number) ? std::string() : refused();
  }
  const auto check_list = [&](const auto& list, const auto& is_good) {
    const bool many = what.most_values != 0 && list.size() > what.most_values;
    const bool good = list.size() >= what.least_values && !many && std::all_of(list.begin(), list.end(), is_good);
    return good ? std::string() : refused();
  };
  if (const auto* list = std::get_if<std::vector<double>>(&value)) return check_list(*list, fits);
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) {
    return check_list(*list, [&](std::int64_t whole) { return fits(static_cast<double>(whole)); });
  }
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
    return check_list(*list,
                      [&](const std::string& word) { return what.choices.empty() || is_one_of(word, what.choices); });
  }
  return {};
}

std::optional<OptionValue> OptionSet::read(std::size_t option, const std::string& text,
                                           std::string& what_is_wrong) const {
  const OptionBinding& binding = bindings_[option];
  const std::optional<OptionValue> value = parsed(binding, text);
  what_is_wrong = value ? complaint(binding, *value)
                        : fmt::format("is '{}', expected {}{}", text, binding.what.expected(),
                                      did_you_mean(close_words(text, binding.what.choices)));
  return what_is_wrong.empty() ? value : std::nullopt;
}

void OptionSet::set_value(void* options, std::size_t option, const OptionValue& value) const {
  const OptionBinding& binding = bindings_[option];
  std::string what_is_wrong;
  std::optional<OptionValue> meant;
  if (const auto* text = std::get_if<std::string>(&value)) {
    meant = read(option, *text, what_is_wrong);
  } else {
    meant = as_type(value, binding.what.type);
    what_is_wrong = complaint(binding, *meant);
  }
  if (!meant || !what_is_wrong.empty()) {
    throw ValueError(fmt::format("{}: {} {}", title_, binding.what.name, what_is_wrong));
  }
  binding.set(options, *meant);
}

bool OptionSet::applies_to(const void* options, std::size_t option) const {
  const OptionBinding& binding = bindings_[option];
  return !binding.applies || binding.applies(options);
}

void OptionSet::check_values(const void* options, std::string_view operation) const {
  for (std::size_t i = 0; i < bindings_.size(); ++i) {
    if (!applies_to(options, i)) continue;
    const OptionValue value = get_value(options, i);
    const bool left_out = bindings_[i].what.is_list() && to_text(value).empty();
    const std::string what_is_wrong = left_out ? std::string() : complaint(bindings_[i], value);
    if (!what_is_wrong.empty()) {
      throw ValueError(
          fmt::format("{}: {} {}", operation.empty() ? title_ : operation, bindings_[i].what.name, what_is_wrong));
    }
  }
}

OptionBinding& OptionSet::add(OptionBinding binding) {
  if (binding.what.record.empty()) binding.what.record = key_of(binding.what.name);
  if (binding.what.group.empty()) binding.what.group = group_;
  return bindings_.emplace_back(std::move(binding));
}

void OptionSet::for_the_last(const std::function<void(OptionBinding&)>& change) {
  std::for_each(bindings_.begin() + static_cast<std::ptrdiff_t>(last_), bindings_.end(), change);
}

OptionBinding renamed_option(OptionBinding binding, const std::vector<OptionRename>& renames) {
  OptionDescriptor& what = binding.what;
  const auto found =
      std::find_if(renames.begin(), renames.end(), [&](const OptionRename& one) { return one.from == what.name; });
  if (found == renames.end()) return binding;
  if (what.record == key_of(what.name)) what.record = key_of(found->to);
  if (!found->record.empty()) what.record = found->record;
  what.name = found->to;
  return binding;
}

}  // namespace whorl
