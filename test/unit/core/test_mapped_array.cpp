// Arrays in temporary files.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/temporary_folder.hpp"
#include "whorl/core/mapped_array.hpp"

namespace whorl {
namespace {

TEST(MappedArray, IsZeroAndKeepsWhatIsWritten) {
  Array<float> array = mapped_array<float>(temporary_folder(), {3, 1000, 1000});
  EXPECT_EQ(array.shape(), Shape({3, 1000, 1000}));
  EXPECT_EQ(array.device(), Device{});
  EXPECT_TRUE(std::all_of(array.span().begin(), array.span().end(), [](float value) { return value == 0; }));
  for (Index i = 0; i < array.size(); ++i) array.data()[i] = static_cast<float>(i % 1021);
  const Array<float> moved = std::move(array);
  for (Index i = 0; i < moved.size(); ++i) ASSERT_EQ(moved.data()[i], static_cast<float>(i % 1021));
  EXPECT_EQ(mapped_array<float>(temporary_folder(), {0}).size(), 0);
}

TEST(MappedArray, LeavesNoFile) {
  const auto folder = std::filesystem::path("/var/tmp") / "whorl-test-mapped";
  std::filesystem::create_directories(folder);
  {
    const Array<float> array = mapped_array<float>(folder, {1000});
    EXPECT_TRUE(std::filesystem::is_empty(folder));
  }
  EXPECT_TRUE(std::filesystem::remove(folder));
}

std::string refusal(const std::filesystem::path& folder, const Shape& shape) {
  try {
    mapped_array<float>(folder, shape);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(MappedArray, SaysWhyThereIsNone) {
  const std::string missing = refusal("/var/tmp/no-such-folder", {10});
  EXPECT_NE(missing.find("temporary file of 40 bytes in '/var/tmp/no-such-folder': No such file"), std::string::npos)
      << missing;
  // More than any disk has: the space is reserved at once.
  const std::string large = refusal(temporary_folder(), {Index{1} << 50});
  EXPECT_NE(large.find("name a folder on a disk"), std::string::npos) << large;
  EXPECT_EQ(std::count(large.begin(), large.end(), '\n'), 0);
}

}  // namespace
}  // namespace whorl
