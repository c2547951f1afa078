#include "cli/options/table_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/command_line.hpp"
#include "cli/output/file_name.hpp"
#include "core/close_words.hpp"

namespace whorl::cli {

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What a command says of an option beside the table; null: nothing.
const ShownOption* change_of(const OptionDescriptor& what, const Shown& shown) {
  const auto found = std::find_if(shown.changed.begin(), shown.changed.end(),
                                  [&](const ShownOption& change) { return change.name == what.name; });
  return found == shown.changed.end() ? nullptr : &*found;
}

// The option as this command has it.
OptionDescriptor shown_as(const OptionDescriptor& what, const Shown& shown) {
  OptionDescriptor option = what;
  const ShownOption* const change = change_of(what, shown);
  if (change == nullptr) return option;
  if (!change->as.empty()) option.name = change->as;
  if (!change->summary.empty()) option.summary = change->summary;
  if (!change->fallback.empty()) option.fallback = change->fallback;
  if (!change->choices.empty()) option.choices = change->choices;
  if (!change->group.empty()) option.group = change->group;
  if (change->applies) option.applies = *change->applies;
  return option;
}

// "Coil combination: rss, matched", "Extent of the kernel; 0 to 16 pixels".
std::string help_of(const OptionDescriptor& option) {
  std::string text = option.summary;
  std::string values = option.range.text();
  if (!option.unit.empty()) values += (values.empty() ? "" : " ") + option.unit;
  if (!option.condition.empty()) values += (values.empty() ? "" : ", ") + option.condition;
  if (!values.empty()) text += "; " + values;
  const bool in_form = option.type == OptionType::numbers;  // the words of a list of numbers
  if (option.type == OptionType::flag || in_form || option.choices.empty()) return text;
  return fmt::format("{}{}{}", text, values.empty() ? ": " : ", or ", fmt::join(option.choices, ", "));
}

// "A,B", "A,B[,C]", "A,B,...": the example in the help of a list.
std::string form_of(const OptionDescriptor& option) {
  std::string form = "A";
  const std::size_t most = option.most_values == 0 ? std::max<std::size_t>(2, option.least_values) : option.most_values;
  for (std::size_t i = 1; i < most; ++i) {
    const std::string next = fmt::format(",{}", static_cast<char>('A' + i));
    form += i < option.least_values || option.most_values == 0 ? next : "[" + next + "]";
  }
  return option.most_values == 0 ? form + ",..." : form;
}

std::string type_of(const OptionDescriptor& option) {
  if (option.file != FileUse::none) return file_type;
  if (!option.choices.empty() || option.type == OptionType::text) return "TEXT";
  return option.type == OptionType::integer ? "INT" : "FLOAT";
}

// Sets the option, or refuses the text with the name that this command has for it.
void take(void* options, const OptionSet& table, std::size_t index, const OptionDescriptor& option,
          const std::string& text) {
  const OptionDescriptor& whole = table.bindings()[index].what;
  std::string what_is_wrong;
  const auto value = table.read(index, text, what_is_wrong);
  // A command may take fewer words than the table.
  const bool left_out = contains(whole.choices, text) && !contains(option.choices, text);
  if (left_out || (!value && option.choices != whole.choices)) {
    what_is_wrong =
        fmt::format("is '{}', expected {}{}", text, option.expected(), did_you_mean(close_words(text, option.choices)));
  }
  if (!value || !what_is_wrong.empty()) refuse(fmt::format("--{} {}", option.name, what_is_wrong));
  table.bindings()[index].set(options, *value);
}

Option* add_flag(App& app, void* options, const OptionBinding& binding, const OptionDescriptor& option, bool is_on) {
  const std::string name = (is_on ? "--no-" : "--") + option.name;
  return app
      .add_flag_callback(
          name, [options, set = binding.set, is_on] { set(options, !is_on); },
          is_on && !option.off.empty() ? option.off : help_of(option))
      ->group(option.group.empty() ? "Options" : option.group);
}

void add_file(App& app, Option& added, const void* options, const OptionBinding& binding, const std::string& name) {
  const FileUse use = binding.what.file;
  const auto names = [options, get = binding.get] { return std::vector{to_text(get(options))}; };
  if (use == FileUse::input) app.files().add_input(name, names);
  if (!is_output(use)) return;
  const OutputKind kind = output_of(use);
  app.files().add_output(name, kind, names);
  if (kind.is_folder) added.type_name(folder_type);
  if (kind.check_name) added.check(Check(kind.check_name));
}

// A condition that this command does not have is not asked for either.
void add_condition(Option& added, const void* options, const OptionBinding& binding, const OptionDescriptor& option) {
  if (!binding.applies || option.applies.empty()) return;
  added.when(option.applies, [options, applies = binding.applies] { return applies(options); });
}

ListWords list_words(const OptionDescriptor& option, const ShownOption* change) {
  ListWords list{
      change == nullptr || change->form.empty() ? form_of(option) : change->form, option.most_values,
      [choices = option.choices](const std::string& word) { return is_number(word) || contains(choices, word); }};
  if (option.type == OptionType::texts) {
    list.is_value = [choices = option.choices](const std::string& word) { return contains(choices, word); };
    list.values = fmt::format("{}", fmt::join(option.choices, ", "));
  }
  return list;
}

}  // namespace

bool Shown::has(const OptionDescriptor& option) const {
  return option.on_command_line && !contains(but, option.name) && (only.empty() || contains(only, option.name));
}

void add_options(App& app, void* options, const OptionSet& table, const Shown& shown) {
  for (std::size_t i = 0; i < table.bindings().size(); ++i) {
    const OptionBinding& binding = table.bindings()[i];
    if (!shown.has(binding.what)) continue;
    const OptionDescriptor option = shown_as(binding.what, shown);
    if (option.type == OptionType::flag) {
      Option* flag = add_flag(app, options, binding, option, std::get<bool>(binding.get(options)));
      add_condition(*flag, options, binding, option);
      continue;
    }
    const auto take_text = [options, &table, i, option](const std::string& text) {
      take(options, table, i, option, text);
    };
    const std::string name = "--" + option.name;
    const ShownOption* const change = change_of(binding.what, shown);
    const ListWords list = option.is_list() ? list_words(option, change) : ListWords{};
    Option* added = option.is_list() ? app.add_list_function(name, list, take_text, help_of(option))
                                     : app.add_option_function(name, take_text, help_of(option));
    added->type_name(option.is_list() ? list.form : type_of(option));
    add_file(app, *added, options, binding, name);
    if (!option.group.empty()) added->group(option.group);
    add_condition(*added, options, binding, option);
    if (!option.is_list() && !option.choices.empty()) added->check(offer(option.choices));
    const std::string usual = table.get_text(options, i);
    std::string what_is_wrong;
    const bool is_value = table.read(i, usual, what_is_wrong).has_value();
    const bool is_changed = option.fallback != binding.what.fallback;
    if (is_changed && option.fallback) {
      added->default_str(*option.fallback);
    } else if (is_value && !usual.empty()) {
      added->default_str(usual);
    }
  }
}

}  // namespace whorl::cli
