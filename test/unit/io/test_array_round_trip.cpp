// Arrays through every pair of formats that hold them.
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "whorl/core/random.hpp"
#include "whorl/io/array_files.hpp"

namespace whorl {
namespace {

using test::TemporaryFolder;

Array<std::complex<float>> random_array(const Context& ctx, const Shape& shape) {
  Array<std::complex<float>> array(ctx, shape);
  fill_random_normal<float>(array, 7);
  return array;
}

AnyArray array_of_type(const Context& ctx, std::size_t type, const Shape& shape) {
  if (type == 0) {
    const auto complex = random_array(ctx, shape);
    Array<float> real(ctx, shape);
    for (Index i = 0; i < real.size(); ++i) real.data()[i] = complex.data()[i].real();
    return real;
  }
  if (type == 1) return converted<double>(ctx, array_of_type(ctx, 0, shape), "test");
  if (type == 2) return random_array(ctx, shape);
  AnyArray array = converted<std::complex<double>>(ctx, random_array(ctx, shape), "test");
  for (auto& value : std::get<3>(array).span()) value += std::complex<double>(1e-12, -1e-13);  // needs double
  return array;
}

bool same_values(const AnyArray& a, const AnyArray& b) {
  return a.index() == b.index() && shape_of(a) == shape_of(b) &&
         std::visit(
             []<class T>(const Array<T>& x, const auto& y) {
               if constexpr (std::is_same_v<std::decay_t<decltype(y)>, Array<T>>) {
                 return std::equal(x.span().begin(), x.span().end(), y.span().begin());
               } else {
                 return false;
               }
             },
             a, b);
}

/// Extensions of the formats that keep every type.
const std::vector<std::string> all_types{".npy", ".npz", ".h5", ".nii", ".nii.gz"};

TEST(ArrayRoundTrip, EveryPairOfFormatsKeepsTypesShapesAndValues) {
  const Context ctx;
  const TemporaryFolder folder;
  for (const std::string& first : all_types) {
    for (const std::string& second : all_types) {
      for (std::size_t type = 0; type < std::variant_size_v<AnyArray>; ++type) {
        for (const Shape& shape : {Shape{5}, Shape{3, 4}, Shape{2, 1, 4, 3}}) {
          const NamedArray made{"made", array_of_type(ctx, type, shape)};
          write_array(ctx, folder / ("a" + first), made);
          NamedArray back = read_array(ctx, folder / ("a" + first));
          write_array(ctx, folder / ("b" + second), back);
          back = read_array(ctx, folder / ("b" + second));
          EXPECT_TRUE(same_values(made.values, back.values)) << first << " " << second << " " << type_name(made.values);
          std::filesystem::remove(folder / ("a" + first));
          std::filesystem::remove(folder / ("b" + second));
        }
      }
    }
  }
}

TEST(ArrayRoundTrip, BartKeepsComplex64) {
  const Context ctx;
  const TemporaryFolder folder;
  for (const std::string& other : all_types) {
    const NamedArray made{"made", array_of_type(ctx, 2, {2, 1, 4, 3})};
    write_array(ctx, folder / "a.cfl", made);
    write_array(ctx, folder / ("b" + other), read_array(ctx, folder / "a.hdr"));  // either of the two names
    write_array(ctx, folder / "c.cfl", read_array(ctx, folder / ("b" + other)));
    const NamedArray back = read_array(ctx, folder / "c");
    EXPECT_TRUE(same_values(made.values, back.values)) << other;
    EXPECT_EQ(back.name, "c");
  }
}

TEST(ArrayRoundTrip, TheAffineGoesThroughNiftiAndHdf5) {
  const Context ctx;
  const TemporaryFolder folder;
  NamedArray made{"made", array_of_type(ctx, 0, {4, 3, 5})};
  // An oblique frame, numbers that float holds exactly.
  made.affine = Affine{{{{1.5, 0.25, 0, -20}, {-0.25, 1.5, 0.125, 30}, {0, -0.125, 2, 12.5}}}, true};
  write_array(ctx, folder / "a.nii.gz", made);
  write_array(ctx, folder / "b.h5", read_array(ctx, folder / "a.nii.gz"));
  write_array(ctx, folder / "c.nii", read_array(ctx, folder / "b.h5"));
  const NamedArray back = read_array(ctx, folder / "c.nii");
  ASSERT_TRUE(back.affine.has_value());
  EXPECT_EQ(back.affine.value().matrix, made.affine.value().matrix);
  EXPECT_TRUE(back.affine.value().in_scanner);
}

TEST(ArrayRoundTrip, SeveralArraysHaveNames) {
  const Context ctx;
  const TemporaryFolder folder;
  std::vector<NamedArray> arrays;
  arrays.push_back({"maps", array_of_type(ctx, 2, {3, 4})});
  arrays.push_back({"weights", array_of_type(ctx, 1, {7})});
  for (const std::string name : {"a.npz", "a.h5"}) {
    const std::string path = folder / name;
    write_arrays(ctx, path, arrays);
    EXPECT_TRUE(same_values(read_array(ctx, path + ":weights").values, arrays[1].values));
    EXPECT_THROW(read_array(ctx, path), ValueError);
    EXPECT_THROW(read_array(ctx, path + ":nothing"), ValueError);
  }
  EXPECT_THROW(write_arrays(ctx, folder / "a.npy", arrays), ValueError);
  arrays[1].name = "maps";
  EXPECT_THROW(write_arrays(ctx, folder / "b.npz", arrays), ValueError);
  EXPECT_THROW(write_arrays(ctx, folder / "b.npz", {}), ValueError);
  EXPECT_THROW(write_arrays(ctx, folder / "b.jpg", arrays), ValueError);
  EXPECT_THROW(write_arrays(ctx, folder / "b.npz", arrays, "tiff"), ValueError);
  EXPECT_EQ(folder.entries(), 2);
}

TEST(ArrayRoundTrip, MriQ) {
  const Context ctx;
  const TemporaryFolder folder;
  std::vector<NamedArray> arrays;
  for (const char* name : {"kx", "ky", "kz"}) arrays.push_back({name, array_of_type(ctx, 0, {5})});
  for (const char* name : {"x", "y", "z"}) arrays.push_back({name, array_of_type(ctx, 0, {7})});
  arrays.push_back({"phi", array_of_type(ctx, 2, {5})});
  write_arrays(ctx, folder / "in.bin", arrays);
  const auto back = read_arrays(ctx, folder / "in.bin");
  ASSERT_EQ(back.size(), arrays.size());
  for (std::size_t i = 0; i < back.size(); ++i) {
    EXPECT_EQ(back[i].name, arrays[i].name);
    EXPECT_TRUE(same_values(back[i].values, arrays[i].values)) << back[i].name;
  }
  write_array(ctx, folder / "q.out", arrays.back());
  EXPECT_TRUE(same_values(read_array(ctx, folder / "q.out").values, arrays.back().values));
  arrays.pop_back();
  EXPECT_THROW(write_arrays(ctx, folder / "b.bin", arrays), ValueError);
  EXPECT_THROW(write_arrays(ctx, folder / "b.out", arrays), ValueError);
  arrays.push_back({"phi", array_of_type(ctx, 2, {6})});
  EXPECT_THROW(write_arrays(ctx, folder / "b.bin", arrays), ShapeError);
  EXPECT_EQ(folder.entries(), 2);
}

}  // namespace
}  // namespace whorl
