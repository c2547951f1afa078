// The folder from which `whorl recon` goes on after an end that nobody planned.
#pragma once

#include <filesystem>
#include <memory>

#include "whorl/io/record.hpp"
#include "whorl/recon/frame_store.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::cli {

/// The frames that earlier runs left in the folder, which is made where there is none. The file run.json says what the
/// frames belong to: the hashes of the inputs, the parameters of the record, the device's kind, whorl's version, and
/// the scan as it is read. Each frame is a file with its hash. A damaged frame counts as missing. A note of the record
/// says how many frames there are.
///
/// Throws  ValueError (the folder belongs to another reconstruction; the message says which difference was found
///         first), IoError, Cancelled
std::shared_ptr<FrameStore> open_checkpoint(const Context& ctx, const Context& device,
                                            const std::filesystem::path& folder, const Scan& scan, RunRecord& record);

/// The store of the same folder for a further process of the run, which only finds and keeps frames.
std::shared_ptr<FrameStore> join_checkpoint(const Context& ctx, const std::filesystem::path& folder);

}  // namespace whorl::cli
