// What the studies say of the papers: the lines are found in the papers, and the pages show no other published number.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "studies/cited.hpp"

namespace whorl::studies {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  EXPECT_TRUE(in.good()) << file;
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

struct Number {
  double value = 0;
  int decimals = 0;
};

/// The numbers of a text, thousands with or without commas; exponents are left out.
std::vector<Number> numbers_of(const std::string& text) {
  static const std::regex form(R"((\^?)((?:\d{1,3}(?:,\d{3})+|\d+))(\.\d+)?)");
  std::vector<Number> numbers;
  for (std::sregex_iterator at(text.begin(), text.end(), form), end; at != end; ++at) {
    if ((*at)[1].length() > 0) continue;
    std::string digits = (*at)[2].str() + (*at)[3].str();
    digits.erase(std::remove(digits.begin(), digits.end(), ','), digits.end());
    numbers.push_back({std::stod(digits), std::max(0, static_cast<int>((*at)[3].length()) - 1)});
  }
  return numbers;
}

/// One of the numbers, in another unit, is the shown one to its digits: half a unit of the last, and rounding.
bool has(const std::vector<Number>& numbers, const Number& shown, double unit = 1) {
  return std::any_of(numbers.begin(), numbers.end(), [&](const Number& number) {
    return std::abs(unit * number.value - shown.value) <= 0.50001 * std::pow(10.0, -shown.decimals);
  });
}

bool has_all(const std::string& line, const Citation& one) {
  const std::vector<Number> there = numbers_of(std::regex_replace(line, std::regex(R"(\bthree\b)"), "3"));
  const std::vector<Number> shown = numbers_of(one.text);
  return std::all_of(shown.begin(), shown.end(), [&](const Number& number) { return has(there, number, one.unit); });
}

/// The folder of the papers: WHORL_PAPERS, or the one beside the measured data. Empty: it is not there.
fs::path papers_folder() {
  if (const char* given = std::getenv("WHORL_PAPERS")) return given;
  const char* data = std::getenv("WHORL_TEST_DATA");
  const fs::path beside = data == nullptr ? fs::path() : fs::path(data) / ".." / "papers";
  return fs::is_directory(beside) ? beside : fs::path();
}

TEST(Cited, EveryPublishedNumberIsInItsLine) {
  const fs::path folder = papers_folder();
  if (folder.empty()) GTEST_SKIP() << "no papers: WHORL_PAPERS is not set, nor are they beside WHORL_TEST_DATA";
  for (const Citation& one : citations) {
    if (one.paper.empty()) continue;
    std::istringstream paper(text_of(folder / one.paper));
    bool found = false;
    for (std::string line; !found && std::getline(paper, line);) {
      found = line.find(one.words) != std::string::npos && has_all(line, one);
    }
    EXPECT_TRUE(found) << one.study << " says '" << one.text << "', but no line of " << one.paper << " with '"
                       << one.words << "' has these numbers";
  }
}

TEST(Cited, NumbersWithoutALineAreThoseOfAPicture) {
  for (const Citation& one : citations) {
    const bool without_line = one.paper.empty() && !numbers_of(one.text).empty();
    EXPECT_TRUE(!without_line || one.words.find("picture") != one.words.npos) << one.text;
  }
  // The percent errors of figure 7.19 are as far apart as its decibels: three digits of 41.7 and 12.1 make 0.05 dB.
  EXPECT_NEAR(20 * std::log10(cited_number("quantitative_mri", "41.7") / cited_number("quantitative_mri", "12.1")),
              cited_number("quantitative_mri", "27.6") - cited_number("quantitative_mri", "16.8"), 0.1);
  // heat.md: 61 % are the profiler's own two functions.
  const auto own = cited_numbers<2>("heat", "34.78 26.09");
  EXPECT_NEAR(own[0] + own[1], 61, 0.5);
}

TEST(Cited, EveryCitationIsShown) {
  for (const Citation& one : citations) {
    const fs::path page = fs::path(SOURCE_FOLDER) / "docs/studies" / (std::string(one.study) + ".md");
    const fs::path here = fs::path(SOURCE_FOLDER) / "studies/test/unit/test_cited.cpp";
    bool shown = (text_of(page) + text_of(here)).find(one.text) != std::string::npos;
    for (const auto& file : fs::recursive_directory_iterator(fs::path(SOURCE_FOLDER) / "studies" / one.study)) {
      if (shown || !file.is_regular_file()) continue;
      shown = text_of(file.path()).find("\"" + std::string(one.text) + "\"") != std::string::npos;
    }
    EXPECT_TRUE(shown) << one.study << " shows '" << one.text << "' nowhere";
  }
}

/// The numbers of all citations of a study.
std::vector<Number> cited_of(const std::string& study) {
  std::vector<Number> all;
  for (const Citation& one : citations) {
    if (one.study != study) continue;
    const std::vector<Number> numbers = numbers_of(one.text);
    all.insert(all.end(), numbers.begin(), numbers.end());
  }
  return all;
}

/// Gains that a table computes from two published times.
bool is_ratio(const std::vector<Number>& numbers, double value) {
  for (const Number& slow : numbers) {
    for (const Number& fast : numbers) {
      if (fast.value > 0 && std::abs(slow.value / fast.value - value) <= 1e-12 * value) return true;
    }
  }
  return false;
}

void check_cell(const std::string& study, const std::string& column, const nlohmann::json& cell) {
  const std::vector<Number> cited = cited_of(study);
  const std::string where = study + ": " + column + ": " + cell.dump();
  if (cell.is_number()) {
    EXPECT_TRUE(has(cited, {cell.get<double>(), 9}) || is_ratio(cited, cell.get<double>())) << where;
  } else if (cell.is_string()) {
    // Names of devices have numbers of their own.
    const std::string text = std::regex_replace(cell.get<std::string>(), std::regex(R"(\(GeForce [^)]*\))"), "");
    for (const Number& number : numbers_of(text)) EXPECT_TRUE(has(cited, number)) << where;
  }
}

TEST(Cited, TablesHaveNoOtherPublishedNumber) {
  for (const auto& file : fs::directory_iterator(fs::path(SOURCE_FOLDER) / "studies/records")) {
    if (file.path().extension() != ".json") continue;
    const nlohmann::json record = nlohmann::json::parse(text_of(file.path()));
    for (const auto& [name, table] : record["tables"].items()) {
      for (const auto& row : table) {
        for (const auto& [column, cell] : row.items()) {
          const bool distance = column.rfind("distance from", 0) == 0;
          if (column.rfind("published") != std::string::npos && !distance) check_cell(record["study"], column, cell);
        }
      }
    }
  }
}

TEST(Cited, PagesHaveNoOtherPublishedNumber) {
  // Prose: what stands in brackets that begin with "published".
  static const std::regex form(R"(\(published:? ([^)]*)\))");
  int count = 0;
  for (const auto& file : fs::directory_iterator(fs::path(SOURCE_FOLDER) / "docs/studies")) {
    if (!file.is_regular_file()) continue;
    const std::string study = file.path().stem();
    const std::string page = text_of(file.path());
    for (std::sregex_iterator at(page.begin(), page.end(), form), end; at != end; ++at, ++count) {
      for (const Number& number : numbers_of((*at)[1].str())) {
        EXPECT_TRUE(has(cited_of(study), number)) << study << ": " << (*at)[0].str();
      }
    }
  }
  EXPECT_GE(count, 2);
}

}  // namespace
}  // namespace whorl::studies
