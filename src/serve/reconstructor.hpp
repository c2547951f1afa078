// One measurement on its way from acquisitions to images, whatever the protocol.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "io/ismrmrd/plan.hpp"
#include "serve/events.hpp"
#include "serve/frame_stream.hpp"
#include "serve/noise_memory.hpp"
#include "serve/request.hpp"
#include "whorl/core/note.hpp"
#include "whorl/serve/server_event.hpp"
#include "whorl/serve/shared_serving.hpp"

namespace whorl::serve {

/// What all measurements of a server share.
struct Ground {
  /// Throws IoError (a folder that can not be used), ValueError (a configuration in it).
  explicit Ground(const SharedServing& options);

  const Configurations configurations;
  NoiseMemory noise;
  Counters counters;
  const std::size_t most_bytes;  ///< of the data of a measurement
};

/// What is told to the client.
struct Answers {
  std::function<void(ServerEvent::Level, const std::string& text)> tell;
  std::function<void(const OutgoingImage&, ImageOutput)> send;
};

/// Configuration, header and parameters come first, then acquisitions; images are sent as early as there are some. All throw
/// whorl::Error for what the client must mend.
///
/// Threads  one; has_begun() from any
class Reconstructor {
 public:
  /// `name` stands in messages for that of a file. The context and the ground must outlive it.
  Reconstructor(const Context& ctx, Ground& ground, std::string name, Answers answers);

  /// A name, or options as JSON or XML. Gives the name of the reconstruction.
  const std::string& take_config(const std::string& text);
  /// ISMRMRD's header.
  void take_header(const std::string& xml);
  /// A text behind the header: JSON with options, or anything else, which is passed over.
  void take_parameters(const std::string& text);
  void add(Acquisition&& acquisition, Clock::time_point at);
  /// No more come.
  void finish();

  /// Has an acquisition come?
  bool has_begun() const { return begun_; }
  std::size_t acquisitions() const { return count_; }
  std::size_t images() const { return images_; }

 private:
  void begin();
  void leave_out(std::string reason, std::string_view advice);
  void count_left_out();
  void keep_noise();
  void reconstruct_all();
  void tell(Notes notes) const;
  void send(const OutgoingImage& image, Clock::time_point ready);
  void check_bytes() const;

  const Context& ctx_;
  Ground& ground_;
  std::string name_;
  Answers answers_;

  RequestText asked_{"default", {}};
  std::string header_;
  MeasurementLinks links_;
  Request request_;
  NoiseScan noise_;
  std::unique_ptr<FrameStream> frames_;  // none: images are made at the end
  AcquisitionList acquisitions_;
  std::size_t count_ = 0;
  std::size_t image_readouts_ = 0;
  io::SkippedCounts left_out_;  // what belongs to no image, by the reason
  std::size_t bytes_ = 0;       // of the list, without what the frames count
  std::size_t images_ = 0;
  Clock::time_point last_at_;
  std::atomic<bool> begun_{false};
};

}  // namespace whorl::serve
