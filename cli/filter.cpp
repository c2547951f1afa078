// whorl filter: pictures and images through filters.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "command.hpp"
#include "file_name.hpp"
#include "filter_arguments.hpp"
#include "filter_files.hpp"
#include "filter_text.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/picture.hpp"

namespace whorl::cli {

namespace {

namespace fs = std::filesystem;

struct Options {
  std::string input;
  std::string output;
  FilterArguments filters;
  std::string about;
  bool list = false;
  bool reference = false;
  bool flat = false;
};
