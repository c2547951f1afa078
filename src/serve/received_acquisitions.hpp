// Acquisitions that were received, as a measurement that is read like a file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/ismrmrd/source.hpp"
#include "serve/mrd_messages.hpp"

namespace whorl::serve {

using AcquisitionList = std::vector<std::shared_ptr<const Acquisition>>;

io::AcquisitionHead head_of(const Acquisition& acquisition);
std::vector<io::AcquisitionHead> heads_of(const AcquisitionList& acquisitions);

/// The list in the place of a file. `name` is that of the connection, for messages.
io::Measurement measurement_of(std::string name, std::string header, AcquisitionList acquisitions);

/// Throws IoError, naming the acquisition by its number, for samples or positions that are not finite and counts that
/// contradict each other.
void check_acquisition(const Acquisition& acquisition, std::size_t number);

}  // namespace whorl::serve
