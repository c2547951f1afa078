// Movies: every frame, read back chunk by chunk with libpng, and by giflib.
#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <vector>

#include "support/file_content.hpp"
#include "support/read_picture.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/movie.hpp"

#ifdef WHORL_WITH_GIF
#include <gif_lib.h>
#endif

namespace whorl {
namespace {

// [frame, y, x] = [3, 4, 6]: pixel values 0 to 1 that differ from frame to frame.
Array<float> series(const Context& ctx) {
  Array<float> images(ctx, {3, 4, 6});
  for (Index f = 0; f < 3; ++f) {
    for (Index i = 0; i < 24; ++i) images.data()[f * 24 + i] = static_cast<float>((i + 5 * f) % 24) / 23;
  }
  return images;
}

int expected_gray(const Array<float>& images, Index frame, Index pixel) {
  return static_cast<int>(std::lround(255 * static_cast<double>(images.data()[frame * 24 + pixel])));
}

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

struct Chunk {
  std::string name, content;
};

std::vector<Chunk> chunks_of(const std::string& file) {
  std::vector<Chunk> chunks;
  for (std::size_t at = 8; at < file.size();) {
    const std::uint32_t length = number_at(file, at);
    chunks.push_back({file.substr(at + 4, 4), file.substr(at + 8, length)});
    const auto* checked = reinterpret_cast<const Bytef*>(file.data() + at + 4);
    EXPECT_EQ(number_at(file, at + 8 + length), crc32(0, checked, length + 4));
    at += 12 + length;
  }
  return chunks;
}

std::string chunk_bytes(const Chunk& chunk) {
  std::string bytes;
  const auto append = [&](std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8)
      bytes.push_back(static_cast<char>(value >> static_cast<unsigned>(shift)));
  };
  append(static_cast<std::uint32_t>(chunk.content.size()));
  bytes += chunk.name + chunk.content;
  append(static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()) + 4, static_cast<uInt>(bytes.size() - 4))));
  return bytes;
}

TEST(Movie, AnimatedPngHasEveryFrame) {
  const Context ctx;
  const test::TemporaryFolder folder;
  const Array<float> images = series(ctx);
  const auto path = folder / "movie.png";
  write_movie(ctx, path, images, {.high = 1, .frames_per_second = 25});
  const std::string file = test::read_file(path);
  const std::vector<Chunk> chunks = chunks_of(file);
  ASSERT_EQ(chunks[0].name, "IHDR");
  ASSERT_EQ(chunks[1].name, "acTL");
  EXPECT_EQ(number_at(chunks[1].content, 0), 3U);
  EXPECT_EQ(number_at(chunks[1].content, 4), 0U);  // for ever
  ASSERT_EQ(chunks.size(), 9U);                    // control and data of three frames, and the end
  std::uint32_t number = 0;
  for (Index frame = 0; frame < 3; ++frame) {
    const Chunk& control = chunks[static_cast<std::size_t>(2 + 2 * frame)];
    const Chunk& data = chunks[static_cast<std::size_t>(3 + 2 * frame)];
    ASSERT_EQ(control.name, "fcTL");
    EXPECT_EQ(number_at(control.content, 0), number++);
    EXPECT_EQ(number_at(control.content, 4), 6U);
    EXPECT_EQ(number_at(control.content, 8), 4U);
    EXPECT_EQ(number_at(control.content, 20), 40U << 16U | 1000U);  // 40 / 1000 s
    ASSERT_EQ(data.name, frame == 0 ? "IDAT" : "fdAT");
    if (frame > 0) {
      EXPECT_EQ(number_at(data.content, 0), number++);
    }
    // The frame alone as a PNG.
    const auto still = folder / "frame.png";
    test::write_file(still, file.substr(0, 8) + chunk_bytes(chunks[0]) +
                                chunk_bytes({"IDAT", data.content.substr(frame == 0 ? 0 : 4)}) +
                                chunk_bytes(chunks.back()));
    const Picture picture = test::read_picture(still);
    ASSERT_EQ(picture.width, 6);
    ASSERT_EQ(picture.height, 4);
    for (Index i = 0; i < 24; ++i) {
      EXPECT_EQ(static_cast<int>(picture.pixels[static_cast<std::size_t>(i)][0]), expected_gray(images, frame, i));
    }
  }
}

#ifdef WHORL_WITH_GIF
TEST(Movie, GifHasEveryFrame) {
  const Context ctx;
  const test::TemporaryFolder folder;
  const Array<float> images = series(ctx);
  const auto path = folder / "movie.gif";
  write_movie(ctx, path, images, {.high = 1, .frames_per_second = 25});
  int code = 0;
  GifFileType* gif = DGifOpenFileName(path.c_str(), &code);
  ASSERT_NE(gif, nullptr);
  ASSERT_EQ(DGifSlurp(gif), GIF_OK);
  ASSERT_EQ(gif->ImageCount, 3);
  EXPECT_EQ(gif->SWidth, 6);
  EXPECT_EQ(gif->SHeight, 4);
  for (int frame = 0; frame < 3; ++frame) {
    GraphicsControlBlock control;
    ASSERT_EQ(DGifSavedExtensionToGCB(gif, frame, &control), GIF_OK);
    EXPECT_EQ(control.DelayTime, 4);
    for (Index i = 0; i < 24; ++i) {
      const GifByteType level = gif->SavedImages[frame].RasterBits[i];
      EXPECT_EQ(int{gif->SColorMap->Colors[level].Green}, expected_gray(images, frame, i));
    }
  }
  DGifCloseFile(gif, &code);
}
#else
TEST(Movie, SaysThatThereIsNoGif) {
  const Context ctx;
  EXPECT_THROW(write_movie(ctx, "movie.gif", series(ctx)), Unsupported);
}
#endif

TEST(Movie, OneWindowForAllFramesAndSlicesSideBySide) {
  const Context ctx;
  const test::TemporaryFolder folder;
  Array<float> images(ctx, {2, 2, 3, 3});  // frame, z
  for (Index i = 0; i < 36; ++i) images.data()[i] = i < 18 ? 1.0F : 4.0F;
  write_movie(ctx, folder / "movie.png", images, {.zoom = 2});
  const Picture first = test::read_picture(folder / "movie.png");
  EXPECT_EQ(first.width * first.height, 36 * 2);
  EXPECT_EQ(static_cast<int>(first.pixels[0][0]), 64);  // a quarter of the largest of all frames
}

TEST(Movie, SaysWhatIsWrongAndLeavesNothing) {
  const Context ctx;
  const test::TemporaryFolder folder;
  const Array<float> images = series(ctx);
  EXPECT_THROW(check_movie(folder / "movie.avi", images.shape()), ValueError);
  EXPECT_THROW(check_movie(folder / "movie.png", {4, 6}), ShapeError);
  EXPECT_THROW(check_movie(folder / "movie.png", images.shape(), {.frames_per_second = 0}), ValueError);
  EXPECT_THROW(check_movie(folder / "movie.png", images.shape(), {.low = 2, .high = 1}), ValueError);
  EXPECT_THROW(check_movie(folder / "no" / "movie.png", images.shape()), IoError);
  Array<float> bad = series(ctx);
  bad.data()[30] = std::nanf("");
  EXPECT_THROW(write_movie(ctx, folder / "movie.png", bad, {.high = 1}), ValueError);
  check_movie(folder / "movie.png", images.shape());
  EXPECT_EQ(folder.entries(), 0);
}

}  // namespace
}  // namespace whorl
