// A scan on its way through `whorl recon`.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "cli/output/input_descriptions.hpp"
#include "cli/recon/job/process_times.hpp"
#include "cli/recon/recon_request.hpp"
#include "whorl/io/image_series_writer.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/recon/subspace.hpp"
#include "whorl/scan/frame_options.hpp"

namespace whorl::cli {

/// Its steps, each done once, in this order. read() and write() need the host alone, so a thread of its own may do them
/// while another scan is reconstructed.
///
/// Threads one at a time
class ScanJob {
 public:
  /// `session` must outlive the job.
  ScanJob(ReconRequest request, const Session& session, CheckWritten check_written);
  ~ScanJob();
  ScanJob(const ScanJob&) = delete;
  ScanJob& operator=(const ScanJob&) = delete;

  /// The scan and all other files that are read; checks what is known of the outputs with the scan alone.
  void read(const Context& ctx);
  /// The job is all that the process does, and its device is ready. The record then has the time since the process began.
  void is_whole_process() {
    is_whole_process_ = true;
    times_.start = process_seconds() - times_.read;
  }
  /// Prints what would be done (--dry-run): bytes and passes.
  void print_plan() const;
  /// Predicts the memory of the next step: bytes on the session's device.
  Index plan();
  /// On the session's device. Images are written under temporary names as they are done, where the format allows it. Of
  /// several jobs in a process, each one's record has the peak of memory during this step.
  void reconstruct();
  /// All results and the record, in the thread's AtomicFileGroup.
  ReconResult write(const Context& ctx);

 private:
  void read_in(const Context& ctx, bool data_in_file);
  void take(const WrittenImages& files);
  void write_images(const Context& ctx);
  void write_arrays(const Context& ctx);
  void describe_solution();
  bool writes_stream() const;
  ReconPlan planned(const Context& device) const;

  ReconRequest request_;
  const Session& session_;
  CheckWritten check_written_;
  std::unique_ptr<InputDescriptions> inputs_;
  UndonePlaces places_;
  Array<double> gating_;
  GatedScan framed_;
  std::optional<SubspaceBasis> basis_;
  ReconPlan plan_;
  RunRecord record_;
  ProcessTimes times_;
  bool is_whole_process_ = false;
  double frame_interval_ms_ = 0;
  std::array<Index, 3> matrix_{};
  Reconstruction result_;
  std::unique_ptr<ImageSeriesWriter> stream_;  // reads the images of result_: it ends first
  std::vector<std::filesystem::path> written_;
};

}  // namespace whorl::cli
