// The seconds that a reconstruction will take, from file to file.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/recon/recon_request.hpp"
#include "whorl/core/context.hpp"
#include "whorl/io/image_writer.hpp"
#include "whorl/recon/rehearsal.hpp"

namespace whorl::cli {

/// Seconds since the program was loaded.
double process_seconds();

/// How fast this machine does one kind of reconstruction, with its files.
struct ProcessSpeeds {
  ReconSpeeds recon;
  double began = 0;  ///< s: of the process when it began to read
  double ready = 0;  ///< when its device was ready, which starts beside reading
  StageSpeed read;   ///< per byte of the scan's file
  StageSpeed write;  ///< per voxel of the images, with their compression
};

/// Seconds of what a reconstruction is not.
struct ProcessTimes {
  double start = 0;  ///< of the program and its device, beside reading; 0: the process does more than one scan
  double began = 0;  ///< as in ProcessSpeeds
  double ready = 0;
  double read = 0;
  double write = 0;
};

/// Adds them to the stages of a record; what no stage took is "other".
void add_process_times(const ProcessTimes& times, RunRecord& record);

/// What is predicted: a reconstruction of a scan, within a subspace or, with null, without.
struct PredictedRun {
  const Scan& scan;
  const ReconRequest& request;
  const ReconPlan& plan;
  const SubspaceBasis* basis = nullptr;
  int processes = 1;
  int devices = 1;  ///< of this process
};

/// Measures the speeds with a rehearsal of the scan, collective in the ranks of the request. The images of the rehearsal are written to a
/// temporary file, which is removed.
ProcessSpeeds measure_speeds(std::span<const Context> devices, const PredictedRun& run, const ImageOptions& image,
                             const ProcessTimes& times, std::string& note);

/// Keeps speeds for later runs of the same kind: in the user's folder for such files (XDG_CACHE_HOME, or .cache in HOME), by the
/// machine's name, device and threads. Without such a folder, and where it cannot be written, nothing is kept. A device that
/// was idle takes longer to start, which says nothing of later processes: of the times when it was ready the least one that
/// was kept on this machine is kept, and replaces that of `speeds`.
void keep_speeds(const Context& device, const PredictedRun& run, ProcessSpeeds& speeds);

/// Those that the last dry run of the same kind kept on this machine.
std::optional<ProcessSpeeds> known_speeds(const Context& device, const PredictedRun& run);

/// Predicted seconds of each stage, in the order of the run. `is_stream`: one process writes images while it solves for others.
std::vector<std::pair<std::string, double>> predicted_process(const Context& device, const PredictedRun& run,
                                                              const ProcessSpeeds& speeds, bool is_stream);

}  // namespace whorl::cli
