// The folder from which a reconstruction goes on after an end that nobody planned.
#pragma once

#include <filesystem>
#include <memory>

#include "whorl/io/record.hpp"
#include "whorl/recon/frame_store.hpp"
#include "whorl/scan/scan.hpp"

namespace whorl::job {

/// The frames that earlier runs left in the folder, which is made where there is none. The file run.json says what the
/// frames belong to: the hashes of the inputs, the parameters of the record, the device's kind, whorl's version, and
/// the scan as it is read. Each frame is a file with its hash, its number and the hash of run.json. A damaged frame, or
/// that of another frame or run, counts as missing. The state of the solver
/// of the frames under way is a file too, written anew when `every_seconds` have passed since the last one. Notes of
/// the record, which must live as long as the store, say how many frames there are and where a solver went on.
///
/// Throws  ValueError (the folder belongs to another reconstruction; the message says which difference was found
///         first), IoError, Cancelled
std::shared_ptr<FrameStore> open_checkpoint(const Context& ctx, const Context& device,
                                            const std::filesystem::path& folder, double every_seconds, const Scan& scan,
                                            RunRecord& record);

/// The store of the same folder for a further process of the run, once the first has opened it.
std::shared_ptr<FrameStore> join_checkpoint(const Context& ctx, const std::filesystem::path& folder,
                                            double every_seconds, RunRecord& record);

}  // namespace whorl::job
