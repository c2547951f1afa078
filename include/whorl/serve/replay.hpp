// A scan that is sent to a server as a scanner does, in real time.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "whorl/core/context.hpp"
#include "whorl/core/option_table.hpp"

namespace WHORL_PUBLIC whorl {

struct ReplayOptions {
  std::string to = "127.0.0.1:9002";  ///< HOST:PORT
  std::string config = "default";     ///< name of a configuration, or options as JSON or XML
  double interval_ms = 0;             ///< from one readout to the next; 0: as fast as they are taken
  int clients = 1;                    ///< at once, each with a connection of its own
  int warm_up = 0;                    ///< first images of each client, which wait for maps and lambda: told apart
};

template <>
WHORL_PUBLIC const OptionTable<ReplayOptions>& option_table<ReplayOptions>();

struct ReplayReport {
  std::size_t images = 0;  ///< of all clients
  std::vector<double>
      latencies_ms;  ///< of each image after the warm-up, sorted: from its last readout sent to its arrival
  std::vector<double> warm_up_ms;   ///< of the images before, sorted
  std::vector<std::string> texts;   ///< that the first client was sent
  std::vector<std::string> errors;  ///< one for each client that had one
};

/// Sends the acquisitions of an ISMRMRD file in their order and takes what the server sends. An image names its last readout
/// by its time stamp: those of the file are replaced by the readouts' numbers.
///
/// Throws  IoError (a file that can not be read, no server), ValueError (options), Cancelled
ReplayReport replay(const Context& ctx, const std::filesystem::path& scan, const ReplayOptions& options);

/// A histogram of numbers in text: a line for each power of two that holds some.
std::string latency_histogram(const std::vector<double>& latencies_ms);

}  // namespace whorl
