#include "cli/fieldmap/echoes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/output/file_name.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/describe_file.hpp"
#include "whorl/io/echo_times.hpp"
#include "whorl/io/file_parts.hpp"
#include "whorl/io/image_axes.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace whorl::cli {

namespace {

using Complex = std::complex<float>;

std::string by_the_files(const std::vector<double>& times) {
  return fmt::format("Echo times {:g} ms by the files.", fmt::join(times, ", "));
}

// Times of files in another unit than they say would make maps that are wrong by 1000.
void check_unit_of_files(const std::vector<double>& times) {
  constexpr double least_ms = 0.3;
  constexpr double most_ms = 1000;
  if (times.size() < 2) return;
  const double longest = *std::max_element(times.begin(), times.end());
  if (longest >= least_ms && longest <= most_ms) return;
  throw ValueError(fmt::format(
      "the files say echo times of up to {:g} ms, which may be another unit; state them in ms (--times)", longest));
}

void check_known(const std::vector<double>& times, const char* otherwise = "") {
  constexpr double least_ms = 0.02;
  const bool short_ones =
      std::all_of(times.begin(), times.end(), [](double time) { return std::abs(time) < least_ms; });
  if (!times.empty() && short_ones) {
    throw ValueError(fmt::format("echo times of up to {:g} ms, which no sequence has: --times are in ms",
                                 *std::max_element(times.begin(), times.end())));
  }
  if (!times.empty()) return;
  throw ValueError(
      fmt::format("the files do not say the echo times: give one in ms for each echo (--times){}", otherwise));
}

// The frames of all scans in one, those of a slice numbered as echoes.
Scan joined_scan(const Context& ctx, const std::vector<std::string>& files, std::vector<double>& times,
                 const ScanReadOptions& read) {
  Scan all;
  std::vector<double> stated;
  bool known = true;
  for (const std::string& file : files) {
    Scan scan = read_scan(ctx, file, read);
    known = known && !scan.echo_times_ms.empty();
    stated.insert(stated.end(), scan.echo_times_ms.begin(), scan.echo_times_ms.end());
    if (all.frames.empty()) {
      all = std::move(scan);
      continue;
    }
    if (scan.matrix != all.matrix || scan.coils != all.coils) {
      throw ShapeError(fmt::format("'{}': matrix {} x {} x {} and {} coils, expected {} x {} x {} and {} as in '{}'",
                                   file, scan.matrix[0], scan.matrix[1], scan.matrix[2], scan.coils, all.matrix[0],
                                   all.matrix[1], all.matrix[2], all.coils, files.front()));
    }
    std::move(scan.frames.begin(), scan.frames.end(), std::back_inserter(all.frames));
  }
  if (times.empty() && known) {
    times = stated;
    check_unit_of_files(times);
    all.notes.emplace_back(by_the_files(times));
  }
  check_known(times, ", or map a single scan by --from-readout");
  const auto count = static_cast<Index>(times.size());
  std::map<int, Index> echoes;
  for (ScanFrame& frame : all.frames) {
    frame.index = {.slice = frame.index.slice, .contrast = static_cast<int>(echoes[frame.index.slice]++)};
  }
  for (const auto& [slice, found] : echoes) {
    if (found == count) continue;
    throw ValueError(
        fmt::format("field map: slice {} has {} frames in all scans together for {} times; expected one for each",
                    slice, found, count));
  }
  return all;
}

}  // namespace

bool is_scan(const std::string& file) { return describe_file(file_of(file)).holds_scan; }

std::vector<double> settle_times(const Context& ctx, const std::vector<double>& given,
                                 const std::vector<std::string>& files, Notes& notes) {
  std::vector<double> times = given.empty() ? image_echo_times_ms(ctx, files) : given;
  check_known(times);
  if (given.empty()) {
    check_unit_of_files(times);
    notes.emplace_back(by_the_files(times));
  }
  return times;
}

EchoImages read_echoes(const Context& ctx, const std::vector<std::string>& files, std::vector<double>& times) {
  EchoImages echoes;
  times = settle_times(ctx, times, files, echoes.notes);
  const auto count = static_cast<Index>(times.size());
  std::vector<Array<Complex>> images;
  for (const std::string& file : files) {
    NamedArray read = read_array(ctx, file);
    if (!is_complex(read.values)) {
      throw ValueError(fmt::format("'{}': real values; expected complex images, whose phases tell the field", file));
    }
    images.push_back(converted<Complex>(ctx, read.values, file));
    if (!images.empty() && images.back().shape() != images.front().shape()) {
      throw ShapeError(fmt::format("'{}': an image of shape {}, expected {} as in '{}'", file,
                                   to_string(images.back().shape()), to_string(images.front().shape()), files.front()));
    }
    if (images.size() == 1) echoes.affine = read.affine;
  }
  const bool one_file = images.size() == 1;
  // whorl's own images are [frame, z, y, x].
  const Shape first = one_file ? images.front().shape() : without_leading_ones(images.front().shape());
  const Index found = one_file && first.rank() > 0 ? first[0] : static_cast<Index>(images.size());
  const Shape image = one_file && first.rank() > 2 ? first.tail() : first;
  if (image.rank() < 2 || image.rank() > 3 || found != count) {
    throw ShapeError(fmt::format(
        "echoes: {} of shape {} for {} times; expected one file [echo, (z,) y, x] or a file (z,) y, x for each time",
        one_file ? "an image" : fmt::format("{} images", images.size()), to_string(first), count));
  }
  echoes.images = Array<Complex>(ctx, image.with_front(1).with_front(count));
  Complex* to = echoes.images.data();
  for (const auto& from : images) to = std::copy_n(from.data(), from.size(), to);
  if (std::ranges::all_of(echoes.images.span(), [](const Complex& value) { return value.imag() == 0; })) {
    echoes.notes.emplace_back(
        "The images have no phase, as a root of the sum of squares over coils has none: the map is 0. Images by "
        "cg-sense, or the scan itself, tell the field.",
        NoteKind::doubt);
  }
  return echoes;
}

EchoImages reconstruct_echoes(const Session& session, const std::vector<std::string>& files, std::vector<double>& times,
                              const ScanReadOptions& read, const ReconOptions& options) {
  Scan scan = joined_scan(session.ctx, files, times, read);
  const auto count = static_cast<Index>(times.size());
  EchoImages echoes;
  echoes.notes = scan.notes;
  const std::array<Index, 3> matrix = scan.matrix;
  Reconstruction made = reconstruct(session.device(), std::move(scan), options);
  echoes.notes.insert(echoes.notes.end(), made.notes.begin(), made.notes.end());
  echoes.stage_seconds = std::move(made.stage_seconds);
  std::vector<std::size_t> first_echoes;
  std::vector<Geometry> places;
  for (std::size_t f = 0; f < made.frames.size(); ++f) {
    if (made.frames[f].index.contrast != 0) continue;
    first_echoes.push_back(f);
    places.push_back(made.frames[f].geometry);
  }
  const SliceStacks stacks = stack_slices(places, matrix[2]);
  if (stacks.stacks.size() != 1 || stacks.stacks.front().frames.size() != places.size()) {
    throw ValueError(fmt::format("field map: the slices form no regular stack ({}); make a map of each",
                                 stacks.irregularity.empty() ? "several volumes" : stacks.irregularity));
  }
  const SliceStack& stack = stacks.stacks.front();
  const Index pixels = matrix[0] * matrix[1];
  const Index depth = matrix[2] > 1 ? matrix[2] : static_cast<Index>(places.size());
  echoes.affine = voxel_affine(stack.geometry, {matrix[0], matrix[1], depth});
  echoes.images = depth > 1 ? Array<Complex>(session.ctx, {count, 1, depth, matrix[1], matrix[0]})
                            : Array<Complex>(session.ctx, {count, 1, matrix[1], matrix[0]});
  const Index part = made.images.size() / made.images.extent(0);
  for (std::size_t s = 0; s < stack.frames.size(); ++s) {
    const int slice = made.frames[first_echoes[static_cast<std::size_t>(stack.frames[s])]].index.slice;
    for (std::size_t f = 0; f < made.frames.size(); ++f) {
      if (made.frames[f].index.slice != slice) continue;
      const Index echo = made.frames[f].index.contrast;
      std::copy_n(made.images.data() + static_cast<Index>(f) * part, part,
                  echoes.images.data() + echo * pixels * depth + static_cast<Index>(s) * part);
    }
  }
  return echoes;
}

}  // namespace whorl::cli
