// ReconJob: a request on its way to its images.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "whorl/comm/communicator.hpp"
#include "whorl/core/context.hpp"
#include "whorl/io/measurement_facts.hpp"
#include "whorl/io/record.hpp"
#include "whorl/job/request.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/scan/image_frame.hpp"

namespace WHORL_PUBLIC whorl {

/// Resources of a job.
struct JobResources {
  Context host{};  ///< of files and pictures; its progress sink and cancel token are the job's
  /// The contexts that compute: the host's or a GPU's, or one for each of several GPUs. Asked for when they are needed, and
  /// beside reading, since a GPU takes a while to start; none: the host.
  std::function<std::vector<Context>()> devices{};
  std::shared_ptr<Communicator> ranks = alone();  ///< who works on the same request together
  std::string command_line{};                     ///< for the record
  std::vector<std::filesystem::path> inputs{};    ///< further files for the record, beside those of the request
  CheckWritten check_written{};                   ///< none: all may be written
  MeasurementFacts facts{};                       ///< of a scan in memory
  bool is_whole_process = false;  ///< the record then has the time since the process began, and its peak of memory
};

/// Result of a request. Only the first of several ranks has images.
struct JobResult {
  Reconstruction made;                           ///< but what was written to files of arrays: maps, sets, parts
  std::shared_ptr<const SubspaceBasis> basis{};  ///< of a subspace
  Corrected corrected;                           ///< poses and shifts of readouts that were undone
  Array<double> gating;  ///< [slice, readout, column]: seconds, value, phase in radians, frame; -1: none
  RunRecord record;
  std::string record_text;  ///< the same as JSON
};

/// What would be done.
struct JobPlan {
  ReconPlan plan;
  Index reading_bytes = 0;  ///< the most that arrays took on the device as the scan was read
};

/// Its steps, each done once, in this order. read() and finish() need the host alone, so a thread of its own may do them
/// while another job reconstructs. All ranks do the same steps.
///
/// Threads one at a time
class ReconJob {
 public:
  /// Throws as settle.
  ReconJob(ReconRequest request, JobResources with);
  ~ReconJob();
  ReconJob(const ReconJob&) = delete;
  ReconJob& operator=(const ReconJob&) = delete;

  /// The scan and all other files that are read; corrections and frames; checks what is known of the outputs with the scan
  /// alone.
  void read(const Context& ctx);
  /// Places of the images in the scanner. After read().
  std::vector<ImageFrame> frames() const;
  /// Plan of the next step, instead of doing it.
  JobPlan dry_run();
  /// Predicts the memory of the next step: bytes on the device.
  Index plan();
  /// Reconstructs on the devices. Images are written under temporary names as they are done, where the format allows it. If a process
  /// runs several jobs, each record has the peak of memory during this step.
  void reconstruct();
  /// Writes all outputs and the record, in the thread's AtomicFileGroup, and gives the results.
  JobResult finish(const Context& ctx);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// All steps of a job. Throws what they throw.
JobResult run_job(ReconRequest request, const JobResources& with);

/// What it would do.
JobPlan plan_job(ReconRequest request, const JobResources& with);

}  // namespace whorl
