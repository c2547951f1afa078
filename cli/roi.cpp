// whorl roi: what an image has in regions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "cli/command.hpp"
#include "cli/output/file_name.hpp"
#include "cli/output/print.hpp"
#include "cli/report/recorded_run.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/atomic_file.hpp"
#include "whorl/io/image_axes.hpp"
#include "whorl/plot/display_part.hpp"

namespace whorl::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string image;
  std::string mask;
  std::string noise;
  std::string record;
  std::string json;
};

// A region of one volume. NaN: not known.
struct Region {
  long long label = 0;
  Index volume = 0;
  Index voxels = 0;
  double mean = 0;
  double deviation = std::numeric_limits<double>::quiet_NaN();  // between voxels; of two or more
  double least = 0;
  double most = 0;
  double noise = std::numeric_limits<double>::quiet_NaN();              // root-mean-square over the voxels
  double error_independent = std::numeric_limits<double>::quiet_NaN();  // of the mean
  double error_most = std::numeric_limits<double>::quiet_NaN();
};

Array<float> values_of(const Context& ctx, const std::string& file) {
  const AnyArray values = read_array(ctx, file).values;
  Array<float> part = display_part(ctx, values, is_complex(values) ? DisplayPart::magnitude : DisplayPart::real);
  part.reshape(without_leading_ones(part.shape()));
  return part;
}

// The labels of a mask by their voxels. 0 is outside.
std::map<long long, std::vector<Index>> voxels_by_label(const Array<float>& mask, const std::string& file) {
  std::map<long long, std::vector<Index>> regions;
  for (Index voxel = 0; voxel < mask.size(); ++voxel) {
    const float value = mask.data()[voxel];
    if (value == 0) continue;
    if (value != std::floor(value) || std::abs(value) > 1e6F) {
      throw ValueError(
          fmt::format("roi: '{}' has the value {} at voxel {}; expected whole numbers, 0 outside", file, value, voxel));
    }
    regions[std::llround(value)].push_back(voxel);
  }
  if (regions.empty()) throw ValueError(fmt::format("roi: '{}' is 0 everywhere; expected a region", file));
  return regions;
}

// The axes of a mask are the last ones of the image.
Index volumes_of(const Shape& image, const Shape& mask, const std::string& file) {
  const int axes = std::min(image.rank(), mask.rank());
  bool fits = mask.rank() <= image.rank();
  for (int axis = 1; axis <= axes; ++axis) fits = fits && image[-axis] == mask[-axis];
  if (!fits) {
    throw ShapeError(fmt::format("roi: '{}' has shape {}, expected that of the image {} or of its last axes", file,
                                 to_string(mask), to_string(image)));
  }
  return image.size() / mask.size();
}

Region measure_region(const float* image, const float* noise, const std::vector<Index>& voxels) {
  Region region;
  region.voxels = std::ssize(voxels);
  const auto count = static_cast<double>(region.voxels);
  region.least = std::numeric_limits<double>::infinity();
  region.most = -region.least;
  for (const Index voxel : voxels) {
    const double value = image[voxel];
    region.mean += value / count;
    region.least = std::min(region.least, value);
    region.most = std::max(region.most, value);
  }
  double squares = 0;
  for (const Index voxel : voxels) squares += (image[voxel] - region.mean) * (image[voxel] - region.mean);
  if (region.voxels > 1) region.deviation = std::sqrt(squares / (count - 1));
  if (noise == nullptr) return region;
  double variance = 0;
  double sum = 0;
  for (const Index voxel : voxels) {
    variance += static_cast<double>(noise[voxel]) * noise[voxel];
    sum += noise[voxel];
  }
  region.noise = std::sqrt(variance / count);
  region.error_independent = std::sqrt(variance) / count;
  region.error_most = sum / count;
  return region;
}

std::vector<Region> measure_regions(const Context& ctx, const Options& options) {
  const Array<float> image = values_of(ctx, options.image);
  const Array<float> mask = values_of(ctx, options.mask);
  const Index volumes = volumes_of(image.shape(), mask.shape(), options.mask);
  std::optional<Array<float>> noise;
  if (!options.noise.empty()) {
    noise = values_of(ctx, options.noise);
    if (noise->size() != image.size() && noise->size() != mask.size()) {
      throw ShapeError(fmt::format("roi: '{}' has shape {}, expected that of the image {} or of the mask {}",
                                   options.noise, to_string(noise->shape()), to_string(image.shape()),
                                   to_string(mask.shape())));
    }
  }
  std::vector<Region> regions;
  for (const auto& [label, voxels] : voxels_by_label(mask, options.mask)) {
    for (Index volume = 0; volume < volumes; ++volume) {
      const float* deviations =
          !noise ? nullptr : noise->data() + (noise->size() == image.size() ? volume * mask.size() : 0);
      Region& region = regions.emplace_back(measure_region(image.data() + volume * mask.size(), deviations, voxels));
      region.label = label;
      region.volume = volume;
    }
  }
  return regions;
}

std::string number(double value) { return std::isnan(value) ? "-" : fmt::format("{:.6g}", value); }

std::string to_text(const std::vector<Region>& regions, bool has_noise) {
  std::string text = fmt::format("{:>7}{:>8}{:>9}{:>13}{:>13}{:>13}{:>13}", "region", "volume", "voxels", "mean",
                                 "deviation", "least", "most");
  if (has_noise) text += fmt::format("{:>13}{:>15}{:>13}", "noise", "error of mean", "at most");
  text += "\n";
  for (const Region& region : regions) {
    text += fmt::format("{:>7}{:>8}{:>9}{:>13}{:>13}{:>13}{:>13}", region.label, region.volume, region.voxels,
                        number(region.mean), number(region.deviation), number(region.least), number(region.most));
    if (has_noise) {
      text += fmt::format("{:>13}{:>15}{:>13}", number(region.noise), number(region.error_independent),
                          number(region.error_most));
    }
    text += "\n";
  }
  return text;
}

std::string to_json(const Options& options, const std::vector<Region>& regions) {
  Json json{{"image", options.image}, {"mask", options.mask}, {"regions", Json::array()}};
  if (!options.noise.empty()) json["noise"] = options.noise;
  for (const Region& region : regions) {
    Json entry{{"region", region.label}, {"volume", region.volume},       {"voxels", region.voxels},
               {"mean", region.mean},    {"deviation", region.deviation}, {"least", region.least},
               {"most", region.most}};
    if (!options.noise.empty()) {
      entry["noise"] = region.noise;
      entry["error_of_mean_independent"] = region.error_independent;
      entry["error_of_mean_at_most"] = region.error_most;
    }
    json["regions"].push_back(entry);
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// The standard deviations that a recorded run wrote beside its image.
std::string noise_of_record(const std::string& record) {
  const RecordedRun run(record);
  for (const FileOption& file : run.files().options()) {
    if (file.name == "--stddev" && !file.names().empty() && !file.names().front().empty()) return file.names().front();
  }
  throw ValueError(
      fmt::format("roi: the run of '{}' kept no standard deviations; run whorl recon with --stddev FILE", record));
}

void run_roi(Options options, const Session& session) {
  if (!options.record.empty()) options.noise = noise_of_record(options.record);
  const std::vector<Region> regions = measure_regions(session.ctx, options);
  if (options.json == "-") return print(to_json(options, regions));
  if (!options.json.empty()) write_file(options.json, to_json(options, regions));
  if (!session.quiet) print(to_text(regions, !options.noise.empty()));
}

constexpr const char* roi_examples =
    R"(Each whole number of the mask but 0 is a region. Of complex images the magnitudes are measured.
  deviation      standard deviation between the region's voxels: object and noise
  noise          standard deviation of a voxel by noise alone, root-mean-square (--noise, --record)
  error of mean  standard deviation of the mean by noise, if the noise of the voxels is independent: sqrt(sum s^2) / n
  at most        the same if the noise of all voxels is one: sum s / n. Images of undersampled scans lie between
Examples:
  whorl roi image.nii.gz --mask regions.nii.gz
                                        a line for each region and volume
  whorl roi image.nii.gz --mask regions.nii.gz --record image.nii.gz.json
                                        with the error bars that whorl recon --stddev wrote
  whorl roi t2star.nii.gz --mask regions.nii.gz --noise t2star_error.nii.gz --json -
                                        for programs)";

}  // namespace

Command roi_command() {
  return {"roi", "Measure regions of an image: mean, deviation, voxels, and the error of the mean", roi_examples,
          [](App& app) -> Run {
            const auto options = std::make_shared<Options>();
            app.add_input("image", options->image, "Image or map: FILE or FILE:NAME")->required();
            app.add_input("--mask", options->mask,
                          "Regions by whole numbers, 0 outside; of the image's shape or that of its last axes")
                ->required();
            Option* noise =
                app.add_input("--noise", options->noise,
                              "Standard deviation of each voxel by noise, as whorl recon --stddev writes it");
            app.add_input("--record", options->record,
                          "Record of the run that made the image (.json): takes the standard deviations that it kept")
                ->excludes(noise);
            app.add_output("--json", options->json, json_output(), "Write the regions as JSON; -: to standard output");
            return [options](const Session& session) { run_roi(*options, session); };
          }};
}

}  // namespace whorl::cli
