#include "cli/report/recorded_scan.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/npy.hpp"
#include "whorl/io/read_scan.hpp"

namespace whorl {
namespace {

class StackCommand : public test::RecordedScan {
 protected:
  // An image [3, 4] of one value, at z millimeters.
  void write_slice(const std::string& name, float value, double z) const {
    Array<float> image(ctx, {3, 4});
    std::fill(image.span().begin(), image.span().end(), value);
    Affine place;
    place.matrix[0][0] = 2;
    place.matrix[2][3] = z;
    write_array(ctx, folder / name, {"image", std::move(image), place});
  }
  NamedArray stack(std::vector<std::string> words) const {
    words.insert(words.begin(), "stack");
    words.insert(words.end(), {"-o", folder / "out.nii"});
    test::expect_success(words);
    return read_array(ctx, folder / "out.nii");
  }
};

TEST_F(StackCommand, SlicesAreSortedAndKeepTheirDistance) {
  write_slice("a.nii", 3, 17.5);
  write_slice("b.nii", 1, 10);
  write_slice("c.nii", 2, 13.75);
  const NamedArray out = stack({folder / "a.nii", folder / "b.nii", folder / "c.nii", "--axis", "slice"});
  ASSERT_EQ(shape_of(out.values), (Shape{3, 3, 4}));
  const auto& values = std::get<Array<float>>(out.values);
  for (Index z = 0; z < 3; ++z) EXPECT_EQ(values.view<3>()(z, 2, 3), static_cast<float>(z + 1));
  ASSERT_TRUE(out.affine.has_value());
  const Affine affine = out.affine.value_or(Affine{});
  EXPECT_NEAR(affine.matrix[2][2], 3.75, 1e-5);
  EXPECT_NEAR(affine.matrix[2][3], 10, 1e-5);
  EXPECT_NEAR(affine.matrix[0][0], 2, 1e-6);
  write_slice("d.nii", 4, 22);
  test::expect_failure(
      {"stack", folder / "a.nii", folder / "b.nii", folder / "d.nii", "--axis", "slice", "-o", folder / "x.nii"}, 1,
      "equal distances");
}

TEST_F(StackCommand, FramesLieInOnePlace) {
  write_slice("a.nii", 3, 5);
  write_slice("b.nii", 1, 5);
  write_slice("c.nii", 1, 6);
  const NamedArray out = stack({folder / "a.nii", folder / "b.nii"});
  ASSERT_EQ(shape_of(out.values), (Shape{2, 1, 3, 4}));
  EXPECT_EQ(std::get<Array<float>>(out.values).data()[0], 3);
  EXPECT_NEAR(out.affine.value_or(Affine{}).matrix[2][3], 5, 1e-6);
  test::expect_failure({"stack", folder / "a.nii", folder / "c.nii", "-o", folder / "x.nii"}, 1, "lies elsewhere");
  write_npy<float>(ctx, folder / "small.npy", zeros<float>(ctx, {2, 4}));
  test::expect_failure({"stack", folder / "a.nii", folder / "small.npy", "-o", folder / "x.nii"}, 1, "[1, 2, 4]");
}

// The small scan has slices 0 and 1 with repetitions 0 to 2: two of them have repetitions 0 to 5, or slices 0 to 3.
TEST_F(StackCommand, ScansAreCountedOn) {
  const std::string scan = folder / "scan.h5";
  for (const bool slices : {false, true}) {
    test::expect_success({"stack", scan, scan, "--axis", slices ? "slice" : "frame", "-o", folder / "both.h5"});
    const Scan both = read_scan(ctx, folder / "both.h5");
    const Scan one = read_scan(ctx, scan);
    ASSERT_EQ(both.frames.size(), 12U);
    EXPECT_EQ(both.frames.back().index.repetition, slices ? 2 : 5);
    EXPECT_EQ(both.frames.back().index.slice, slices ? 3 : 1);
    EXPECT_EQ(both.frames.back().data.data()[7], one.frames.back().data.data()[7]);
    EXPECT_EQ(both.noise.size(), one.noise.size());
  }
}

}  // namespace
}  // namespace whorl
