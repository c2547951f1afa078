// Messages of MRD v1 as bytes.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "serve/mrd_messages.hpp"

namespace whorl::serve {

/// The bytes of a message. Counts in heads of data are those of the data. Throws IoError (a name too long for a config file,
/// data that no head can count).
std::vector<std::byte> encode(const Message& message);

}  // namespace whorl::serve
