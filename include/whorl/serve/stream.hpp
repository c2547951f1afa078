// A filter of MRD v2: a measurement comes in, images go out.
#pragma once

#include <cstddef>
#include <string>

#include "whorl/core/context.hpp"
#include "whorl/core/option_table.hpp"
#include "whorl/serve/server.hpp"
#include "whorl/serve/server_event.hpp"
#include "whorl/serve/shared_serving.hpp"

namespace WHORL_PUBLIC whorl {

/// The schema of a stream of MRD v2: that of the input, or of a version of MRD.
enum class MrdSchema { as_read, v2_1_1, v2_2_1 };

struct StreamOptions {
  SharedServing shared;
  std::string config = "default";  ///< name of a configuration, or options as JSON or XML
  MrdSchema schema = MrdSchema::as_read;
};

template <>
WHORL_PUBLIC const OptionTable<StreamOptions>& option_table<StreamOptions>();

struct StreamReport {
  std::size_t acquisitions = 0;
  std::size_t images = 0;
};

/// Reads a stream of MRD v2, of any schema that has what 2.1.1 and 2.2.1 have in common, and writes one with the header and the
/// images, each as soon as it is there; the images are those of a server. Waveforms, arrays and sequences are passed over;
/// images and data that are sorted already (buckets) are refused. A stream that ends without its end is one that failed.
///
/// `from` and `to` are file descriptors. `log` is told what a server tells its client.
///
/// Memory  the data up to shared.most_megabytes, and what the reconstruction takes
/// Throws  IoError (another format, lies of sizes, an end in the middle, nobody who reads), ValueError (options), Unsupported,
///         Cancelled, and as Server tells its clients
StreamReport reconstruct_stream(const Context& ctx, int from, int to, const StreamOptions& options,
                                const Server::Log& log);

}  // namespace whorl
