// Recordings of several threads, and what would end them.
#pragma once

namespace whorl::backend::cuda {

/// While it lives, this thread records work as a graph, and no thread of whorl waits for the whole device: CUDA ends all
/// recordings when a thread does.
class Recording {
 public:
  Recording();
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
};

/// Held around calls of CUDA's libraries that may wait for the whole device: they make or end a handle. It waits for the
/// recordings of other threads. A lock that a recording may need is taken after it. It is not taken twice.
class WholeDevice {
 public:
  WholeDevice();
  ~WholeDevice();
  WholeDevice(const WholeDevice&) = delete;
  WholeDevice& operator=(const WholeDevice&) = delete;

 private:
  bool locked_;
};

}  // namespace whorl::backend::cuda
