#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"

namespace whorl {

void check_readable(const NamedArray& array) {
  if (!array.fault.empty()) throw IoError(array.fault);
}

}  // namespace whorl
