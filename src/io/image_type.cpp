#include "whorl/io/image_type.hpp"

#include <algorithm>
#include <array>

namespace whorl {

namespace {

struct Ending {
  std::string_view text;
  ImageType type;
};

constexpr std::array endings{Ending{".nii", ImageType::nifti},  Ending{".nii.gz", ImageType::nifti},
                             Ending{".dcm", ImageType::dicom},  Ending{".npy", ImageType::npy},
                             Ending{".h5", ImageType::ismrmrd}, Ending{".png", ImageType::png}};

}  // namespace

ImageType image_type(std::string_view name) {
  const auto found =
      std::find_if(endings.begin(), endings.end(), [&](const Ending& ending) { return name.ends_with(ending.text); });
  return found == endings.end() ? ImageType::none : found->type;
}

std::vector<std::string> image_endings() {
  std::vector<std::string> texts;
  for (const Ending& ending : endings) texts.emplace_back(ending.text);
  return texts;
}

std::string image_extensions() {
  std::string list;
  for (const Ending& ending : endings) {
    if (!list.empty()) list += ", ";
    list += ending.text;
  }
  return list;
}

}  // namespace whorl
