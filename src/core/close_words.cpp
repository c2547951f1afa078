#include "core/close_words.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace whorl {

namespace {

constexpr std::size_t most_suggestions = 3;

char lower(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }

// In lower case, without hyphens.
std::string plain(std::string_view word) {
  std::string text;
  for (const char letter : word) {
    if (letter != '-' && letter != '_') text += lower(letter);
  }
  return text;
}

// Letters that are added, left out, changed or swapped with their neighbors: the distance of Damerau and Levenshtein, each
// letter edited once at most.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> least(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        least[i][j] = i + j;
        continue;
      }
      const std::size_t changed = least[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      least[i][j] = std::min({least[i - 1][j] + 1, least[i][j - 1] + 1, changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        least[i][j] = std::min(least[i][j], least[i - 2][j - 2] + 1);
      }
    }
  }
  return least[a.size()][b.size()];
}

bool is_letter(char letter) { return std::isalpha(static_cast<unsigned char>(letter)) != 0; }

// "blur" is a word of "Blur by a Gaussian", "car" is none of "Scarce".
bool has_word(std::string_view text, std::string_view word) {
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  for (auto at = text.begin();; ++at) {
    at = std::search(at, text.end(), word.begin(), word.end(), same);
    if (at == text.end()) return false;
    const auto end = at + static_cast<std::ptrdiff_t>(word.size());
    if ((at == text.begin() || !is_letter(at[-1])) && (end == text.end() || !is_letter(*end))) return true;
  }
}

}  // namespace

std::vector<std::string> close_words(std::string_view word, const std::vector<KnownWord>& known) {
  constexpr std::size_t least_part = 3;  // letters of a word that others are looked through for
  const std::string typed = plain(word);
  std::vector<std::pair<std::size_t, std::string>> found;
  const auto keep = [&](std::size_t distance, const std::string& what) { found.emplace_back(distance, what); };
  if (typed.empty()) return {};
  for (const KnownWord& one : known) {
    const std::string name = plain(one.word);
    const std::size_t distance = edits(typed, name);
    if (distance <= std::max(typed.size(), name.size()) / 3) keep(distance, one.word);
  }
  if (found.empty() && typed.size() >= least_part) {
    for (const KnownWord& one : known) {
      const std::string name = plain(one.word);
      if (name.find(typed) != std::string::npos) keep(name.size(), one.word);
    }
  }
  if (found.empty() && typed.size() >= least_part) {
    for (const KnownWord& one : known) {
      if (has_word(one.about, word)) keep(0, one.word);
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  // One that has all letters right leaves no doubt.
  if (!found.empty() && found.front().first == 0) {
    std::erase_if(found, [](const auto& one) { return one.first > 0; });
  }
  std::vector<std::string> words;
  for (const auto& [distance, name] : found) {
    if (words.size() < most_suggestions) words.push_back(name);
  }
  return words;
}

std::vector<std::string> close_words(std::string_view word, const std::vector<std::string>& known) {
  std::vector<KnownWord> words;
  for (const std::string& one : known) words.push_back({one});
  return close_words(word, words);
}

std::string alternatives(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::string did_you_mean(const std::vector<std::string>& words) {
  return words.empty() ? std::string() : " (did you mean " + alternatives(words) + "?)";
}

}  // namespace whorl
