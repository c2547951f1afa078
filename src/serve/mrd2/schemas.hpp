// The schemas of MRD v2 that are in use.
#pragma once

namespace whorl::serve::mrd2 {

extern const char* const schema_2_1_1;  ///< 21,336 bytes
extern const char* const schema_2_2_1;  ///< 25,152 bytes

}  // namespace whorl::serve::mrd2
