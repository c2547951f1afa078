// One array of several in a file.
#pragma once

#include <string>
#include <utility>

#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"

namespace whorl::io {

/// The array that `read` gives; where it throws IoError, an array without values that has the message as its fault.
template <class Read>
NamedArray array_or_fault(std::string name, const Read& read) {
  try {
    return read();
  } catch (const IoError& error) {
    return {.name = std::move(name), .values = {}, .fault = error.what()};
  }
}

}  // namespace whorl::io
