// The flags of an acquisition, by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace whorl::io {

/// The bits of flags, as AcquisitionHead::flags has them. A name is ISMRMRD's in any case, with or without its prefixes
/// (ACQ_IS_SURFACECOILCORRECTIONSCAN_DATA, surfacecoilcorrectionscan-data), one of flag_name's, or a number from 1 to 64.
/// Throws ValueError, which names `option` and the flags.
std::uint64_t flag_bits(const std::vector<std::string>& names, std::string_view option);

/// Plain words for a flag, by its number from 1 to 64: "phase correction".
std::string flag_name(int flag);

/// The numbers of the flags that are set.
std::vector<int> flags_in(std::uint64_t bits);

}  // namespace whorl::io
