#include "recon/subspace/slice_frames.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>

namespace whorl::recon {

using Complex = std::complex<float>;

void SliceFrames::add(const ScanFrame& frame) {
  frames.push_back(&frame);
  starts.push_back(samples);
  samples += frame.trajectory->samples();
}

std::vector<SliceFrames> frames_of_slices(const Scan& scan) {
  std::vector<SliceFrames> slices;
  for (const std::size_t number : order_by_slice(scan)) {
    const ScanFrame& frame = scan.frames[number];
    if (slices.empty() || slices.back().frames.front()->index.slice != frame.index.slice) slices.emplace_back();
    slices.back().add(frame);
  }
  return slices;
}

Array<double> joined_points(const Context& ctx, const SliceFrames& slice) {
  const Index dim = slice.frames.front()->trajectory->dim();
  Array<double> points(ctx.host(), {slice.samples, dim});
  double* to = points.data();
  for (const ScanFrame* frame : slice.frames) {
    to = std::copy_n(frame->trajectory->points.data(), frame->trajectory->points.size(), to);
  }
  return points;
}

Array<Complex> courses_of(const Context& ctx, const SliceFrames& slice, const SubspaceBasis& basis) {
  Array<Complex> courses(ctx.host(), {basis.components(), slice.samples});
  for (Index k = 0; k < basis.components(); ++k) {
    for (std::size_t t = 0; t < slice.frames.size(); ++t) {
      const std::complex<double> value = basis.vectors.data()[static_cast<Index>(t) * basis.components() + k];
      std::fill_n(courses.data() + k * slice.samples + slice.starts[t], slice.frames[t]->trajectory->samples(),
                  Complex(value));
    }
    for (std::size_t t = 0; t < slice.roots.size(); ++t) {
      Complex* course = courses.data() + k * slice.samples + slice.starts[t];
      for (Index j = 0; j < slice.roots[t].size(); ++j) course[j] *= slice.roots[t].data()[j];
    }
  }
  return clone<Complex>(ctx, courses);
}

Array<Complex> data_of_coils(const Context& ctx, const SliceFrames& slice, Index first, Index count) {
  Array<Complex> data(ctx.host(), {count, slice.samples});
  for (std::size_t t = 0; t < slice.frames.size(); ++t) {
    const Array<Complex>& from = slice.frames[t]->data;
    for (Index coil = 0; coil < count; ++coil) {
      std::copy_n(from.data() + (first + coil) * from.extent(1), from.extent(1),
                  data.data() + coil * slice.samples + slice.starts[t]);
      if (slice.roots.empty()) continue;
      Complex* to = data.data() + coil * slice.samples + slice.starts[t];
      for (Index j = 0; j < slice.roots[t].size(); ++j) to[j] *= slice.roots[t].data()[j];
    }
  }
  return clone<Complex>(ctx, data);
}

NufftOptions pair_options(const Context& ctx, const Shape& image, Index samples, const ReconOptions& options) {
  NufftOptions nufft = options.nufft;
  nufft.tolerance = nufft_tolerance(options);
  nufft.normal = NormalMethod::pair;
  return same_on_every_device<float>(ctx, image, samples, nufft);
}

ReconOptions with_all_frames(ReconOptions options) {
  options.maps_from = CoilMapData::all_frames;
  options.signal = {};
  return options;
}

std::vector<Index> slice_units(const Scan& scan, const ReconOptions& options) {
  const std::vector<int> numbers = slices_of(scan);
  const auto slices = std::ssize(std::set<int>(numbers.begin(), numbers.end()));
  if (!options.regularizers.empty()) return {0, slices};
  std::vector<Index> starts(static_cast<std::size_t>(slices) + 1);
  std::iota(starts.begin(), starts.end(), Index{0});
  return starts;
}

std::vector<bool> in_slices(const Scan& scan, FrameRange slices) {
  const std::vector<int> numbers = slices_of(scan);
  const std::set<int> sorted(numbers.begin(), numbers.end());
  std::vector<bool> belong;
  for (const int number : numbers) {
    const auto place = std::distance(sorted.begin(), sorted.find(number));
    belong.push_back(slices.first <= place && place < slices.last);
  }
  return belong;
}

}  // namespace whorl::recon
