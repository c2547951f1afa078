#include "studies/quantitative_mri/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "whorl/plot/caption.hpp"
#include "whorl/plot/montage.hpp"

namespace whorl::studies::quantitative_mri {

Picture strip(const Trial& trial, std::span<const Row> rows, std::size_t set) {
  const Context host = trial.ctx.host();
  const Array<float> truth = central_slice(host, trial.scan.truth);
  constexpr Index least_width = 256;
  constexpr Index columns = 4;
  MontageOptions options;
  options.window = default_window(host, truth);
  options.zoom = std::max<Index>(1, least_width / trial.scan.size);
  std::vector<Picture> tiles{
      with_caption(montage_picture(host, truth, options), {"truth", fmt::format("{}^3 voxels", trial.scan.size)})};
  for (const Row& row : rows) {
    if (row.slices.empty()) continue;
    tiles.push_back(with_caption(montage_picture(host, row.slices[set], options),
                                 {row.name, fmt::format("PSNR {:.1f} dB", row.quality[set].psnr_db)}));
  }
  return in_rows(tiles, columns, 4);
}

}  // namespace whorl::studies::quantitative_mri
