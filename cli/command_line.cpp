#include "cli/command_line.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>

#include "cli/options/option_values.hpp"
#include "core/close_words.hpp"

namespace whorl::cli {

namespace {

// "-o,--output": "--output".
std::string last_name(const std::string& names) { return names.substr(names.rfind(',') + 1); }

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// "only with cg-sense", "only without --noise".
std::string only_with(const std::string& condition) {
  return condition.starts_with("no ") ? "only without " + condition.substr(3) : "only with " + condition;
}

// The help with one more condition at its end. A condition that another one implies is left out.
std::string with_condition(const std::string& help, const std::string& condition) {
  const std::string mark = "; only with";
  const std::size_t begin = help.rfind(mark);
  if (begin == std::string::npos) return help + "; " + only_with(condition);
  const std::string said = help.substr(begin + 2);
  const bool is_narrower = contains(condition, said.substr(said.find(' ', mark.size() - 2) + 1));
  return help.substr(0, begin) + "; " + (is_narrower ? only_with(condition) : said + ", and " + condition);
}

// A word that is one of those but for its case becomes that one where `any_case`.
Check member_check(const std::vector<std::string>& words, bool any_case) {
  const auto what_is_wrong = [words, any_case](std::string& word) -> std::string {
    const auto same = [&](const std::string& one) {
      return any_case ? CLI::detail::to_lower(one) == CLI::detail::to_lower(word) : one == word;
    };
    const auto found = std::find_if(words.begin(), words.end(), same);
    if (found == words.end()) {
      if (std::string answer = answer_with(words, word); !answer.empty()) return answer;
      return "is '" + word + "', expected " + alternatives(words) + did_you_mean(close_words(word, words));
    }
    word = *found;
    return {};
  };
  return Check(CLI::Validator(what_is_wrong, "{" + CLI::detail::join(words, ",") + "}"));
}

}  // namespace

Check::Check(std::function<std::string(const std::string&)> what_is_wrong)
    : validator_(std::make_shared<const CLI::Validator>(std::move(what_is_wrong), "")) {}

Check::Check(const CLI::Validator& validator) : validator_(std::make_shared<const CLI::Validator>(validator)) {}

Check Check::description(const std::string& text) const { return Check(validator_->description(text)); }

Check offer(const std::vector<std::string>& values) {
  return Check([values](const std::string& text) { return answer_with(values, text); });
}
Check is_member(const std::vector<std::string>& words) { return member_check(words, false); }
Check is_member_in_any_case(const std::vector<std::string>& words) { return member_check(words, true); }

void refuse_option(const std::string& option, const std::string& what_is_wrong) {
  throw CLI::ValidationError(option, what_is_wrong);
}

void refuse(const std::string& sentence) { throw CLI::ValidationError(sentence); }

void refuse_missing(const std::string& option, const std::string& or_another) {
  throw CLI::RequiredError(option + " is required, " + or_another, CLI::ExitCodes::RequiredError);
}

bool is_number(const std::string& word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

Option* Option::check(const Check& check) {
  option_->check(check.native());
  return this;
}

Option* Option::capture_default_str() {
  option_->capture_default_str();
  return this;
}

Option* Option::default_str(const std::string& text) {
  option_->default_str(text);
  return this;
}

Option* Option::group(const std::string& name) {
  option_->group(name);
  return this;
}

std::string Option::group() const { return option_->get_group(); }

Option* Option::required() {
  option_->required();
  return this;
}

Option* Option::expected(int count) {
  option_->expected(count);
  return this;
}

Option* Option::expected(int least, int most) {
  option_->expected(least, most);
  return this;
}

Option* Option::needs(const Option* other) {
  option_->needs(other->option_);
  return this;
}

Option* Option::needs(const std::string& other) {
  option_->needs(other);
  return this;
}

Option* Option::excludes(const Option* other) {
  option_->excludes(other->option_);
  return this;
}

Option* Option::excludes(const std::string& other) {
  option_->excludes(other);
  return this;
}

Option* Option::type_name(const std::string& name) {
  option_->type_name(name);
  return this;
}

Option* Option::type_size(int words) {
  option_->type_size(words);
  return this;
}

Option* Option::trigger_on_parse() {
  option_->trigger_on_parse();
  return this;
}

Option* Option::allow_extra_args(bool allow) {
  option_->allow_extra_args(allow);
  return this;
}

Option* Option::when(const std::string& what, const std::function<bool()>& applies) {
  conditions_.push_back({what, applies});
  const std::string help = option_->get_description();
  const bool is_said = contains(help, what) || contains(option_->get_group(), what);
  if (!is_said) option_->description(with_condition(help, what));
  return this;
}

std::size_t Option::count() const { return option_->count(); }

void Option::check_effect() const {
  if (count() == 0) return;
  for (const Condition& condition : conditions_) {
    if (!condition.applies()) refuse(option_->get_name() + " applies " + only_with(condition.what));
  }
}

Option* App::add_option_function(const std::string& name, const std::function<void(const std::string&)>& take,
                                 const std::string& help) {
  return keep(*app_->add_option_function<std::string>(name, take, help));
}

Option* App::add_list_function(const std::string& name, const ListWords& list,
                               const std::function<void(const std::string&)>& take, const std::string& help,
                               bool repeated) {
  lists_[name] = list;
  if (!repeated) return add_option_function(name, take, help)->type_name(list.form);
  const auto take_each = [take](const std::vector<std::string>& words) {
    for (const std::string& word : words) take(word);
  };
  return keep(*app_->add_option_function<std::vector<std::string>>(name, take_each, help))
      ->allow_extra_args(false)
      ->type_name(list.form);
}

std::vector<std::string> App::join_lists(std::vector<std::string> words) const {
  std::vector<std::string> joined;
  for (std::size_t i = 0; i < words.size(); ++i) {
    joined.push_back(words[i]);
    const auto found = lists_.find(words[i]);
    if (found == lists_.end()) continue;
    const ListWords& list = found->second;
    std::string values;
    std::size_t count = 0;
    for (; i + 1 < words.size() && (list.most == 0 || count < list.most); ++i) {
      const std::vector<std::string> parts = CLI::detail::split(words[i + 1], ',');
      if (!std::all_of(parts.begin(), parts.end(), list.is_value)) break;
      values += (values.empty() ? "" : ",") + words[i + 1];
      count += parts.size();
    }
    if (values.empty()) continue;
    joined.back() += "=" + values;
    const bool ended = i + 1 == words.size() || words[i + 1].starts_with('-') || (list.most != 0 && count >= list.most);
    const auto is_plain = [](const std::string& word) { return word.find_first_of("./") == std::string::npos; };
    if (!ended && !list.values.empty() && is_plain(words[i + 1]) && !std::filesystem::exists(words[i + 1])) {
      refuse(found->first + ": '" + words[i + 1] + "' is neither a file nor one of " + list.values +
             "; put commas between the values");
    }
  }
  return joined;
}

Option* App::add_words_function(const std::string& name,
                                const std::function<void(const std::vector<std::string>&)>& take,
                                const std::string& help) {
  const auto call = [take](const std::vector<std::string>& words) {
    take(words);
    return true;
  };
  return keep(*app_->add_option(name, CLI::callback_t(call), help));
}

Option* App::add_flag(const std::string& name, bool& value, const std::string& help) {
  return keep(*app_->add_flag(name, value, help));
}

Option* App::add_flag_callback(const std::string& name, const std::function<void()>& call, const std::string& help) {
  return keep(*app_->add_flag_callback(name, call, help));
}

void App::check_effects() const {
  for (const auto& option : options_) option->check_effect();
}

bool App::has_option(const std::string& name) const { return app_->get_option_no_throw(name) != nullptr; }

Option* App::get_option(const std::string& name) { return keep(*app_->get_option(name)); }

void App::callback(const std::function<void()>& call) { app_->callback(call); }

void App::group(const std::string& name) { app_->group(name); }

Option* App::add_option(const std::string& name, std::uint64_t& value, const std::string& help) {
  return keep(*app_->add_option(name, value, help));
}

Option* App::add_word(const std::string& name, std::string& value, const std::string& help) {
  return keep(*app_->add_option(name, value, help));
}

Option* App::add_input(const std::string& name, std::string& value, const std::string& help) {
  files_.add_input(last_name(name), [&value] { return std::vector{value}; });
  return keep(*app_->add_option(name, value, help))->type_name(file_type);
}

Option* App::add_input(const std::string& name, std::vector<std::string>& values, const std::string& help) {
  files_.add_input(last_name(name), [&values] { return values; });
  return keep(*app_->add_option(name, values, help))->type_name(file_type);
}

Option* App::add_output(const std::string& name, std::string& value, const OutputKind& kind, const std::string& help) {
  files_.add_output(last_name(name), kind, [&value] { return std::vector{value}; });
  Option* option = keep(*app_->add_option(name, value, help))->type_name(kind.is_folder ? folder_type : file_type);
  if (kind.check_name) option->check(Check(kind.check_name));
  return option;
}

Option* App::keep(CLI::Option& option) { return options_.emplace_back(std::make_unique<Option>(option)).get(); }

}  // namespace whorl::cli
