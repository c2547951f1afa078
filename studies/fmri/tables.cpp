#include "studies/fmri/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "whorl/plot/caption.hpp"
#include "whorl/plot/montage.hpp"

namespace whorl::studies::fmri {

namespace {

constexpr double milli = 1e-3;

// The slice with most active tissue of active tissue.
Index shown_slice(const Protocol& protocol) {
  const auto active = protocol.active.view<3>();
  Index best = 0;
  double most = -1;
  for (Index z = 0; z < protocol.size; ++z) {
    double sum = 0;
    for (Index i = 0; i < protocol.size * protocol.size; ++i) sum += (&active(z, 0, 0))[i];
    if (sum > most) {
      most = sum;
      best = z;
    }
  }
  return best;
}

Array<float> slice_of(const Context& ctx, ArrayRef<const float> volume, Index size, Index slice) {
  Array<float> values(ctx.host(), {size, size});
  std::copy_n(volume.data() + slice * size * size, size * size, values.data());
  return values;
}

double root_mean_square(std::size_t count, const std::function<double(std::size_t)>& square) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += square(i);
  return count > 0 ? std::sqrt(sum / static_cast<double>(count)) : 0;
}

double squared_distance(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

}  // namespace

Table detection_table(const Protocol& protocol, std::span<const Series> series) {
  Table table{"detection",
              fmt::format("The stated activation in the t-map, above t = {:g}", threshold),
              {"volumes", "active voxels", "found", "found %", "wrong", "voxels of the head", "largest t", "effect %",
               "stated %", "signal to noise in time"},
              {}};
  constexpr double percent = 100;
  for (const Series& one : series) {
    const Detection& d = one.detection;
    table.rows.push_back({one.name, static_cast<double>(d.active), static_cast<double>(d.found),
                          percent * static_cast<double>(d.found) / static_cast<double>(std::max<Index>(1, d.active)),
                          static_cast<double>(d.wrong), static_cast<double>(d.head), d.largest_t, d.amplitude,
                          percent * protocol.amplitude, d.signal_to_noise});
  }
  return table;
}

Table correction_table(const Course& course, std::span<const Series> series) {
  Table table{"corrections",
              "Errors of what was undone, root mean square over the volumes",
              {"volumes", "field Hz", "shift mm", "angle degrees"},
              {}};
  const std::vector<double>& field = course.field_hz;
  const std::vector<ObjectPose>& poses = course.poses;
  const ObjectPose rest;
  table.rows.push_back(
      {"without correction", root_mean_square(field.size(), [&](std::size_t i) { return field[i] * field[i]; }),
       root_mean_square(poses.size(),
                        [&](std::size_t i) { return squared_distance(poses[i].shift_mm, rest.shift_mm); }),
       root_mean_square(poses.size(), [&](std::size_t i) {
         return squared_distance(poses[i].rotation_degrees, rest.rotation_degrees);
       })});
  for (const Series& one : series) {
    if (one.field_hz.empty() && one.poses.empty()) continue;
    std::vector<Cell> row{one.name, {}, {}, {}};
    if (!one.field_hz.empty()) {
      row[1] = root_mean_square(field.size(), [&](std::size_t i) { return std::pow(one.field_hz[i] - field[i], 2); });
    }
    if (!one.poses.empty()) {
      row[2] = root_mean_square(
          poses.size(), [&](std::size_t i) { return squared_distance(one.poses[i].shift_mm, poses[i].shift_mm); });
      row[3] = root_mean_square(poses.size(), [&](std::size_t i) {
        return squared_distance(one.poses[i].rotation_degrees, poses[i].rotation_degrees);
      });
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table stream_table(const Stream& stream) {
  std::vector<double> totals;
  Latency sum;
  for (const Latency& one : stream.latencies) {
    totals.push_back(one.total());
    sum.field += one.field;
    sum.image += one.image;
    sum.motion += one.motion;
    sum.statistics += one.statistics;
  }
  std::ranges::sort(totals);
  // The smallest latency that so many percent of the volumes do not exceed.
  const auto percentile = [&](double percent) {
    const auto rank = static_cast<std::size_t>(std::ceil(percent / 100 * static_cast<double>(totals.size())));
    return totals[std::max<std::size_t>(1, rank) - 1];
  };
  const auto count = static_cast<double>(totals.size());
  const Usage& usage = stream.usage;
  Table table{"stream", "Volumes in real time, from samples in memory to the t-map", {"what", "value"}, {}};
  const auto add = [&](const std::string& what, const Cell& value) { table.rows.push_back({what, value}); };
  add("volumes a second", usage.runs / usage.seconds);
  add("median latency, ms", percentile(50));
  add("latency of 99 %, ms", percentile(99));
  add("largest latency, ms", totals.back());
  add("field, ms", sum.field / count);
  add("image, ms", sum.image / count);
  add("motion, ms", sum.motion / count);
  add("statistics, ms", sum.statistics / count);
  add("volumes", count);
  add("joules a volume", usage.joules ? Cell(*usage.joules / usage.runs) : Cell());
  add("watts", usage.joules ? Cell(*usage.joules / usage.seconds) : Cell());
  return table;
}

Table preparation_table(const Preparation& preparation) {
  return {"preparation",
          "What a protocol takes once",
          {"what", "ms"},
          {{"Q = F^H F by a NUFFT", preparation.spectrum / milli},
           {"plan of the NUFFT, eigenvalue", preparation.plan / milli}}};
}

NamedPicture maps_picture(const Context& ctx, const Protocol& protocol, std::span<const Series> series) {
  constexpr Index least_width = 192;
  constexpr Index columns = 3;
  constexpr double highest_t = 15;
  const Index slice = shown_slice(protocol);
  MontageOptions options;
  options.zoom = std::max<Index>(1, least_width / protocol.size);
  const Context host = ctx.host();
  std::vector<Picture> tiles{
      with_caption(montage_picture(host, slice_of(host, protocol.active, protocol.size, slice), options),
                   {"active tissue", fmt::format("slice {} of {}", slice, protocol.size)})};
  options.window = DisplayWindow{0, highest_t};
  for (const Series& one : series) {
    tiles.push_back(with_caption(montage_picture(host, slice_of(host, one.maps.t, protocol.size, slice), options),
                                 {one.name, fmt::format("t from 0 to {:g}", highest_t)}));
  }
  return {"maps", in_rows(tiles, columns, 4)};
}

}  // namespace whorl::studies::fmri
