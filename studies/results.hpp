// The results of a study: tables, pictures, and how they were made.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "whorl/core/context.hpp"
#include "whorl/plot/picture.hpp"

namespace whorl::studies {

/// A number, a text, or nothing.
using Cell = std::variant<std::monostate, double, std::string>;

struct Table {
  std::string name;   ///< of its file, without .csv
  std::string title;  ///< in words
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;  ///< as many cells as columns
};

struct NamedPicture {
  std::string name;  ///< of its file, without .png
  Picture picture;
};

struct Results {
  std::vector<std::pair<std::string, Cell>> parameters;  ///< of the experiment
  std::vector<Table> tables;
  std::vector<NamedPicture> pictures;
  std::vector<std::string> notes;  ///< sentences that explain the numbers
};

/// Draws a picture of the results. Where drawing is Unsupported, since cairo is missing, a note says so and the picture is
/// left out: tables do not need it.
void add_picture(Results& results, const std::function<NamedPicture()>& draw);

/// A table as lines of text: texts to the left, numbers with four digits to the right, "-" for nothing.
std::string to_text(const Table& table);

/// A table as CSV (RFC 4180): a line of column names, numbers with all their digits, empty cells without text.
std::string to_csv(const Table& table);

/// What was run.
struct Run {
  std::string study;             ///< its name
  std::string command;           ///< the command line
  std::optional<double> load{};  ///< of the machine before the run (studies/machine.hpp)
};

/// Parameters, tables (a list of objects, one a row, whose keys are the columns) and notes as JSON, with the command,
/// the date (UTC, ISO 8601), whorl's version and commit, the machine, its load, the context's device and its threads.
std::string to_json(const Context& ctx, const Run& run, const Results& results);

/// Makes a missing folder; its parent folder must exist. Says whether it was missing. Throws IoError.
bool make_folder(const std::filesystem::path& folder);

/// Writes a .csv for each table, results.json, and a .png for each picture into a folder. Returns the files.
/// Throws  IoError, Cancelled
std::vector<std::filesystem::path> write_results(const Context& ctx, const Run& run, const Results& results,
                                                 const std::filesystem::path& folder);

}  // namespace whorl::studies
