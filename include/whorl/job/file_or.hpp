// FileOr: what a request is given as a file, or has in memory.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

/// Neither of both: it was not given. A table of options has it as the text of the file.
template <class T>
struct FileOr {
  std::string file{};                ///< FILE or FILE:NAME; empty: none
  std::shared_ptr<const T> value{};  ///< in memory; it counts where both are given

  FileOr() = default;
  FileOr(std::string name) : file(std::move(name)) {}                          // NOLINT(google-explicit-constructor)
  FileOr(std::shared_ptr<const T> in_memory) : value(std::move(in_memory)) {}  // NOLINT(google-explicit-constructor)

  bool given() const { return value != nullptr || !file.empty(); }
  const std::string& string() const { return file; }
  /// Text for messages.
  std::string name() const { return value != nullptr ? "an array in memory" : file; }
};

}  // namespace whorl
