// Many scans in one run of `whorl recon`.
#pragma once

#include "cli/command.hpp"
#include "cli/recon/recon_words.hpp"

namespace whorl::cli {

/// --output-dir and --output-type. Behind --output.
void add_batch_options(App& app, BatchWords& words);

/// Reconstructs the scans one after another on one device, with plans that are kept. Each image is FOLDER/NAME and the
/// type, where NAME is the scan's file name without its ending, with its record beside it. In the names of further
/// outputs {} stands for NAME. What a scan wrote has its name when the next one begins. A scan that fails gets one
/// line on standard error, and the others go on. In the end a table says what became of each.
///
/// Throws  what refuses the batch before its work: two results with one name, a result in the place of an input, a
///         further output without {}; Cancelled; Error in the end, naming the scans that failed
void reconstruct_batch(const ReconWords& words, const Session& session);

}  // namespace whorl::cli
