#include "backend/cuda/core/recording.hpp"

#include <shared_mutex>

namespace whorl::backend::cuda {

namespace {

std::shared_mutex& recordings() {
  static std::shared_mutex mutex;
  return mutex;
}

thread_local int recordings_here = 0;

}  // namespace

Recording::Recording() {
  if (recordings_here++ == 0) recordings().lock_shared();
}

Recording::~Recording() {
  if (--recordings_here == 0) recordings().unlock_shared();
}

// What this thread records itself is not disturbed: its captures are relaxed (repeat.cpp).
WholeDevice::WholeDevice() : locked_(recordings_here == 0) {
  if (locked_) recordings().lock();
}

WholeDevice::~WholeDevice() {
  if (locked_) recordings().unlock();
}

}  // namespace whorl::backend::cuda
