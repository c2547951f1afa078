// The common part of all jobs of the frame kernel.
#pragma once

#include "filter/src/kernels/geometry/frame.hpp"
#include "whorl/filter/filter.hpp"

namespace whorl::filters {

/// A job for a band with the rows `given` of an image of format `whole`, and a result of `height` x `width` pixels: its
/// first pixel is the image's first pixel, and pixels outside the image are 0.
template <class T>
kernels::FrameJob<T> frame_job(const ImageFormat& whole, RowRange given, Index height, Index width) {
  kernels::FrameJob<T> job;
  job.slices = whole.slices();
  job.channels = count_of(whole.channels);
  job.height = whole.height;
  job.width = whole.width;
  job.first_row = given.first;
  job.rows_there = given.count();
  job.result_height = height;
  job.result_width = width;
  return job;
}

}  // namespace whorl::filters
