// Commands as a shell takes them.
#pragma once

#include <string>
#include <vector>

namespace whorl::cli {

/// "whorl recon 'my scan.h5'": the program with these words, quoted where a shell would take them apart.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace whorl::cli
