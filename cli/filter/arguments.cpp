#include "cli/filter/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "whorl/core/error.hpp"

namespace whorl::cli {

namespace {

// "sigma=1.4" names a parameter of the filter; anything else is a value by place.
FilterArgument argument_of(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return {{}, word};
  return {word.substr(0, equals), word.substr(equals + 1)};
}

std::string help_of(const FilterDescriptor& filter, const std::string& name) {
  std::string text = name == filter.name ? filter.summary : "The same as --" + filter.name;
  std::string words;
  for (const OptionDescriptor& parameter : filter.parameters) {
    if (!parameter.by_place) continue;
    words += (words.empty() ? "" : " ") + (parameter.fallback ? "[" + parameter.name + "]" : parameter.name);
  }
  if (name == filter.name && !words.empty()) text += ": " + words;
  return text;
}

}  // namespace

std::vector<std::string> files_of_pipeline(const std::string& text) {
  if (text.empty()) return {};
  try {
    return Pipeline::files_to_read(text);
  } catch (const ValueError&) {
    return {};  // a mistake, which Pipeline::parse finds
  }
}

void FilterArguments::add_to(App& app) {
  app.add_word("pipeline", text_, "Filters: 'gaussian sigma=1.4 | unsharp'");
  app.files().add_input("pipeline", [this] { return files_to_read(); });
  for (const FilterDescriptor& filter : FilterRegistry::global().filters()) {
    std::vector<std::string> names{filter.name};
    names.insert(names.end(), filter.aliases.begin(), filter.aliases.end());
    const bool must = std::any_of(filter.parameters.begin(), filter.parameters.end(),
                                  [](const OptionDescriptor& parameter) { return !parameter.fallback; });
    for (const std::string& name : names) {
      const auto take = [this, name](const std::vector<std::string>& words) {
        Given given{name, {}};
        // An option without a word comes with an empty one.
        for (const std::string& word : words) {
          if (!word.empty()) given.arguments.push_back(argument_of(word));
        }
        given_.push_back(std::move(given));
      };
      Option* option = app.add_words_function("--" + name, take, help_of(filter, name));
      option->type_name("")->type_size(1)->expected(must ? 1 : 0, static_cast<int>(filter.parameters.size()));
      option->trigger_on_parse()->group("Filters, in the order in which they are given");
    }
  }
  add_words_of_the_exercise(app);
}

// The exercise's program says what belongs to a filter by options of their own.
void FilterArguments::add_words_of_the_exercise(App& app) {
  constexpr const char* group = "As the case study's program has them";
  const auto subpixel = [this](const std::vector<std::string>& words) {
    add_to_last("align", "--subpixel", {"subpixel", words.front().empty() ? "2" : words.front()});
  };
  Option* option = app.add_words_function("--subpixel", subpixel, "--align to parts of a pixel: [parts=2]");
  option->type_name("")->type_size(1)->expected(0, 1)->trigger_on_parse()->group(group);
  app.add_flag_callback(
         "--bicubic-interp",
         [this] {
           const auto last = std::find_if(given_.rbegin(), given_.rend(), [](const Given& given) {
             return given.name == "resize" || given.name == "align";
           });
           // What align does between pixels is bicubic anyway.
           if (last != given_.rend() && last->name == "align") return;
           add_to_last("resize", "--bicubic-interp", {"method", "bicubic"});
         },
         "--resize by bicubic interpolation; parts of a pixel of --align always are")
      ->trigger_on_parse()
      ->group(group);
  app.add_flag_callback(
         "--mirror", [] {}, "Neighbors beyond the edge are mirrored, which is what border=reflect, the default, does")
      ->group(group);
}

void FilterArguments::add_to_last(const std::string& filter, const std::string& option, FilterArgument argument) {
  const auto last =
      std::find_if(given_.rbegin(), given_.rend(), [&](const Given& given) { return given.name == filter; });
  if (last == given_.rend()) {
    refuse_option(option, fmt::format("belongs to --{0}; expected --{0} before it", filter));
  }
  last->arguments.push_back(std::move(argument));
}

std::vector<std::string> FilterArguments::files_to_read() const {
  std::vector<std::string> files = files_of_pipeline(text_);
  for (const Given& given : given_) {
    for (std::string& file : whorl::files_to_read(FilterRegistry::global().find(given.name), given.arguments)) {
      files.push_back(std::move(file));
    }
  }
  return files;
}

void FilterArguments::take_text(const std::string& text) {
  if (!text_.empty()) {
    throw ValueError("filter: the output is given by --output and as '" + text + "'; expected one of both");
  }
  text_ = text;
}

Pipeline FilterArguments::pipeline() const {
  if (!text_.empty() && !given_.empty()) {
    throw ValueError("filter: both a pipeline '" + text_ + "' and --" + given_.front().name +
                     "; expected one way of saying what to do");
  }
  if (!text_.empty()) return Pipeline::parse(text_);
  Pipeline pipeline;
  for (const Given& given : given_) pipeline.add(FilterRegistry::global().find(given.name).make(given.arguments));
  return pipeline;
}

}  // namespace whorl::cli
