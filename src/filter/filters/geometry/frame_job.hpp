// What all jobs of the frame kernel begin with.
#pragma once

#include "filter/kernels/geometry/frame.hpp"
#include "whorl/filter/filter.hpp"

namespace whorl::filters {

/// Of a band that holds the rows `given` of images of format `whole`, for a result of `height` x `width` pixels: its
/// first pixel is that of the image, and what lies beyond is 0.
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
