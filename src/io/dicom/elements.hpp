// The elements of a DICOM data set, in Explicit VR Little Endian.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace whorl::io::dicom {

/// Group and element: 0x00080060.
using Tag = std::uint32_t;

/// Elements in the order of their tags.
class DataSet {
 public:
  /// `representation` is that of the standard for the tag: "CS", "DS", "UI", ... Texts are padded to even length;
  /// characters that the representation does not allow become blanks, and texts that are too long are cut.
  void text(Tag tag, const char* representation, std::string_view value);
  void text(Tag tag, const char* representation, const std::vector<std::string>& values);
  /// DS: numbers of up to 16 characters.
  void numbers(Tag tag, const std::vector<double>& values);
  void integer(Tag tag, std::int64_t value);  ///< IS
  void word(Tag tag, std::uint16_t value);    ///< US
  void bytes(Tag tag, const char* representation, std::string value);

  /// The bytes of all elements.
  std::string encoded() const;

 private:
  std::map<Tag, std::string> elements_;  // encoded
};

/// A number as DS, of up to 16 characters.
std::string decimal(double value);

}  // namespace whorl::io::dicom
