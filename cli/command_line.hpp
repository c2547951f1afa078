// The command line as commands see it: options bound to variables, and what they take. CLI11 does the work, behind this
// header: its own takes ten seconds to compile wherever it is included.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cli/options/command_files.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
class Option;
class Validator;
}  // namespace CLI

namespace whorl::cli {

/// What the word of an option must be.
class Check {
 public:
  /// By a function that gives what is wrong with a word, or an empty text.
  template <class Function>
  requires std::is_invocable_r_v<std::string, const Function&, const std::string&>
  explicit Check(Function what_is_wrong)
      : Check(std::function<std::string(const std::string&)>(std::move(what_is_wrong))) {}
  explicit Check(std::function<std::string(const std::string&)> what_is_wrong);
  explicit Check(const CLI::Validator& validator);

  /// What the help says of it after the type; empty: nothing.
  Check description(const std::string& text) const;

  const CLI::Validator& native() const { return *validator_; }

 private:
  std::shared_ptr<const CLI::Validator> validator_;
};

/// Lets every text pass, and tells offered_values() of these: for an option that something else checks.
Check offer(const std::vector<std::string>& values);
Check is_member(const std::vector<std::string>& words);
Check is_member_in_any_case(const std::vector<std::string>& words);

/// Ends the reading of the command line: a mistake of the user's. For functions that take words. The message is
/// "option: what_is_wrong", or the sentence alone.
[[noreturn]] void refuse_option(const std::string& option, const std::string& what_is_wrong);
[[noreturn]] void refuse(const std::string& sentence);
/// An option is required, "or" another one.
[[noreturn]] void refuse_missing(const std::string& option, const std::string& or_another);

/// An option or argument. Each function gives the option back, so that calls can be chained.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option* check(const Check& check);
  /// The help shows the variable's value as the default, or this text.
  Option* capture_default_str();
  Option* default_str(const std::string& text);
  Option* group(const std::string& name);
  std::string group() const;
  Option* required();
  /// How many words it takes.
  Option* expected(int count);
  Option* expected(int least, int most);
  Option* needs(const Option* other);
  Option* needs(const std::string& other);
  Option* excludes(const Option* other);
  Option* excludes(const std::string& other);
  Option* type_name(const std::string& name);
  Option* type_size(int words);
  /// A function is called where the option is met, not after all were read.
  Option* trigger_on_parse();
  /// false: one word each time the option is given.
  Option* allow_extra_args(bool allow);

  /// With what it has an effect, in words ("--maps espirit") and as a test that is asked after all options were read.
  /// Given without, the option is a mistake. The help ends with "; only with WHAT", once, unless it or the group says so.
  Option* when(const std::string& what, const std::function<bool()>& applies);

  /// How many words were given for it.
  std::size_t count() const;
  /// Refuses the option if it was given where it has no effect.
  void check_effect() const;

  CLI::Option& native() const { return *option_; }

 private:
  struct Condition {
    std::string what;
    std::function<bool()> applies;
  };

  CLI::Option* option_;
  std::vector<Condition> conditions_;
};

/// What the values of an option are that takes a list. Lists are given alike everywhere: the values in one word with
/// commas between them, in words of their own, or both (join_lists).
struct ListWords {
  std::string form;      ///< an example for the help: "X,Y[,Z]"
  std::size_t most = 0;  ///< values; 0: any number
  std::function<bool(const std::string& value)>
      is_value;          ///< is this one? Words after the first are taken while they are
  std::string values{};  ///< what values are, for messages, where there is a fixed set
};

/// What the help calls the value of an option that names a file, and a folder.
inline constexpr const char* file_type = "FILE";
inline constexpr const char* folder_type = "FOLDER";

/// "-100", "1e-3": for ListWords.
bool is_number(const std::string& word);

/// The options of one command. Lives as long as the program; so must the variables and what functions refer to.
class App {
 public:
  explicit App(CLI::App& app) : app_(&app) {}
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  /// `name` is "-o,--output", "--output", or "output" for an argument by place. The option sets the variable.
  Option* add_option(const std::string& name, std::uint64_t& value, const std::string& help);
  /// A text says whether it is the name of a file. This one is not.
  Option* add_word(const std::string& name, std::string& value, const std::string& help);
  /// A file that the command reads: FILE or FILE:NAME.
  Option* add_input(const std::string& name, std::string& value, const std::string& help);
  Option* add_input(const std::string& name, std::vector<std::string>& values, const std::string& help);
  /// A file, or a folder, that the command writes.
  Option* add_output(const std::string& name, std::string& value, const OutputKind& kind, const std::string& help);
  /// An option whose word, or words, a function takes. It may call refuse_option().
  Option* add_option_function(const std::string& name, const std::function<void(const std::string&)>& take,
                              const std::string& help);
  /// An option whose list a function takes, its values with commas between them. Where it is `repeated` the function is
  /// called for each time that it is given.
  Option* add_list_function(const std::string& name, const ListWords& list,
                            const std::function<void(const std::string&)>& take, const std::string& help,
                            bool repeated = false);
  /// The function gets the words as they were given: none is an empty one. The type and the number of words are up to the caller.
  Option* add_words_function(const std::string& name, const std::function<void(const std::vector<std::string>&)>& take,
                             const std::string& help);
  Option* add_flag(const std::string& name, bool& value, const std::string& help);
  Option* add_flag_callback(const std::string& name, const std::function<void()>& call, const std::string& help);

  /// Refuses options that have no effect beside the others. For the program, after all were read.
  void check_effects() const;

  bool has_option(const std::string& name) const;
  Option* get_option(const std::string& name);

  /// What the command reads and writes.
  CommandFiles& files() { return files_; }
  const CommandFiles& files() const { return files_; }

  /// Called after all options of the command were read. It may call refuse_option().
  void callback(const std::function<void()>& call);
  /// The heading under which the help of the program lists the command; empty: not at all.
  void group(const std::string& name);

  /// The lists of a command line in one word each: "--matrix 64 64" becomes "--matrix=64,64". `words` are those behind
  /// the command's name. A word that is no value ends a list; where there is a fixed set of values and
  /// it is the name of no file, it is refused as a mistake.
  std::vector<std::string> join_lists(std::vector<std::string> words) const;

  CLI::App& native() const { return *app_; }

 private:
  Option* keep(CLI::Option& option);

  CLI::App* app_;
  std::vector<std::unique_ptr<Option>> options_;
  std::map<std::string, ListWords> lists_;
  CommandFiles files_;
};

}  // namespace whorl::cli
