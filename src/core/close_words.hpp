// Which of the known words a mistyped one may mean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/internal.hpp"

namespace whorl {

/// A word that can be meant, and what is said of it ("gaussian", "Blur by a Gaussian").
struct KnownWord {
  std::string word;
  std::string about{};
};

/// The words that `word` may mean, the likeliest first, three at most: those that differ by letters that were added,
/// left out, changed or swapped (a third of the letters at most, case and hyphens aside); else those that hold it; else
/// those whose description has it as a word.
WHORL_INTERNAL std::vector<std::string> close_words(std::string_view word, const std::vector<KnownWord>& known);
WHORL_INTERNAL std::vector<std::string> close_words(std::string_view word, const std::vector<std::string>& known);

/// " (did you mean median or medium?)", or an empty text.
WHORL_INTERNAL std::string did_you_mean(const std::vector<std::string>& words);

/// "reflect, wrap or constant".
WHORL_INTERNAL std::string alternatives(const std::vector<std::string>& words);

}  // namespace whorl
