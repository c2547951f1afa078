// TiffHandle: libtiff on a file that is read in pieces, or on one that is being written; its errors as exceptions.
#pragma once

#include <tiffio.h>

#include <exception>
#include <memory>
#include <string>

#include "io/pictures/file.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl::io {

class TiffHandle {
 public:
  /// Reads the first directory. Throws IoError.
  explicit TiffHandle(PictureFile& file);
  /// Writes; `big` for more than 4 GiB.
  TiffHandle(AtomicFile& file, bool big);
  ~TiffHandle();
  TiffHandle(const TiffHandle&) = delete;
  TiffHandle& operator=(const TiffHandle&) = delete;

  TIFF* get() const { return tiff_; }
  /// A field, or its default; 0 where it has none.
  template <class T>
  T field(std::uint32_t tag) const {
    T value{};
    return TIFFGetFieldDefaulted(tiff_, tag, &value) == 1 ? value : T{};
  }
  /// Throws what went wrong in the calls so far, if `succeeded` is false.
  void check(bool succeeded) const;
  /// Writes what is left and closes.
  void close();

 private:
  /// What libtiff's functions get; it stays in place.
  struct State {
    PictureFile* input = nullptr;
    AtomicFile* output = nullptr;
    std::uintmax_t position = 0;  ///< in the output
    std::string message;
    std::exception_ptr failure;  ///< of reading or writing the file itself
  };
  static tmsize_t read(thandle_t handle, void* to, tmsize_t count);
  static tmsize_t write(thandle_t handle, void* from, tmsize_t count);
  static toff_t seek(thandle_t handle, toff_t offset, int whence);
  static toff_t size(thandle_t handle);
  static int keep_error(TIFF* tiff, void* state, const char* module, const char* text, va_list values);
  void open(const char* mode);

  std::unique_ptr<State> state_;
  std::string name_;
  TIFF* tiff_ = nullptr;
};

}  // namespace whorl::io
