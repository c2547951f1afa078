// Images while data arrive: sliding windows of readouts.
#pragma once

#include <complex>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "io/ismrmrd/plan.hpp"
#include "serve/image_message.hpp"
#include "serve/noise_scan.hpp"
#include "serve/received_acquisitions.hpp"
#include "serve/request.hpp"
#include "serve/tcp.hpp"
#include "whorl/core/note.hpp"
#include "whorl/recon/kept_plans.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/scan/prepare.hpp"

namespace whorl::serve {

/// True where frames are cut from readouts in the order in which they arrive, and are solved one by one, or with few before
/// them.
bool sends_while_receiving(const Request& request);

/// Takes acquisitions as they arrive. Once a slice has enough readouts, its noise, coil maps and lambda are found; then each
/// window of readouts is reconstructed as soon as it is full (split_frames: readouts, step), without a look at later ones. The
/// image is that of `reconstruct` with these maps and this noise. Where terms couple frames, a frame is solved together with
/// those before it (frames_together), and its image is sent; the first one comes with the second, since such terms need two.
///
/// Memory   the readouts of the windows under way and of the calibration of each slice
class FrameStream {
 public:
  /// Told of each image, and when its last readout arrived.
  using Send = std::function<void(const OutgoingImage&, Clock::time_point)>;

  FrameStream(Context ctx, std::string name, std::string header, Request request, NoiseScan noise, Send send);
  ~FrameStream();

  void add(std::shared_ptr<const Acquisition> acquisition, io::ReadoutUse use, Clock::time_point at);
  /// True while the noise is not yet estimated and prewhitening is on.
  bool takes_noise() const { return request_.job.recon.prewhiten && !covariance_; }
  /// No more come. Slices that wait for their calibration take what is there.
  void finish();
  /// Bytes of the readouts that are held. A calibration has none of its own.
  std::size_t bytes() const { return bytes_; }
  /// How many readouts at the end filled no frame.
  std::size_t left_over() const;
  const Notes& notes() const { return notes_; }

 private:
  struct Readout {
    std::shared_ptr<const Acquisition> acquisition;
    Clock::time_point at;
  };
  /// The readouts of frames that follow one another.
  struct Window {
    FrameIndex index;
    std::deque<Readout> readouts;
    Index next = 0;  // the first of them that is of the next frame; those before are of frames that it is solved with
    Index used = 0;  // up to here they filled frames
    bool waits = false;  // the first frame, for the second

    bool is_as_new() const { return readouts.empty() && next == 0 && used == 0 && !waits; }
  };
  struct Slice {
    AcquisitionList calibration;
    bool ready = false;
    Array<std::complex<float>> maps;
    std::optional<ReconOptions> options;  // with what was chosen for the first frames
    int frames = 0;
    std::map<std::tuple<int, int, int, int>, Window> windows;
  };

  std::tuple<int, int, int, int> window_of(const io::AcquisitionHead& head) const;
  Scan read(AcquisitionList acquisitions);
  void prepare(Scan& scan);
  void calibrate(Slice& slice);
  AcquisitionList readouts_of(const Window& window, Index first) const;
  Index frame_step() const;
  Reconstruction solve(Slice& slice, Scan scan);
  void take_choice(const Reconstruction& made, ReconOptions& options);
  void send_full(Slice& slice, Window& window);
  void reconstruct_frame(Slice& slice, const Window& window, Index images);
  Index calibration_readouts() const;

  Context ctx_;
  std::string name_;
  std::string header_;
  Request request_;
  NoiseScan noise_;
  Send send_;
  FrameCounters counters_;
  AcquisitionList noise_acquisitions_;
  std::map<int, Slice> slices_;
  std::shared_ptr<const io::SettledReading> settled_;
  std::vector<std::vector<double>> largest_;  // of each question of the reader
  std::optional<NoiseCovariance> covariance_;
  std::optional<CoilCompression> compression_;
  ReconOptions frame_options_;
  std::size_t images_ = 0;
  std::size_t bytes_ = 0;
  Notes notes_;
};

}  // namespace whorl::serve
