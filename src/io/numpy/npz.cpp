#include "io/numpy/npz.hpp"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <array>
#include <memory>

#include "io/array_or_fault.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/bytes/printable.hpp"
#include "io/numpy/npy_stream.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl::io {

namespace {

struct Close {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* member) const { zip_fclose(member); }
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using Archive = std::unique_ptr<zip_t, Close>;
using Member = std::unique_ptr<zip_file_t, Close>;
using Source = std::unique_ptr<zip_source_t, Close>;

constexpr std::string_view extension = ".npy";

/// A member of an archive, decompressed while it is read.
class MemberSource : public ByteSource {
 public:
  MemberSource(zip_t* archive, zip_uint64_t index, std::string name, std::uintmax_t limit)
      : member_(zip_fopen_index(archive, index, 0)), name_(std::move(name)), limit_(limit) {
    if (!member_) throw IoError(fmt::format("cannot read '{}': {}", name_, zip_strerror(archive)));
  }

  const std::string& name() const override { return name_; }
  std::uintmax_t limit() const override { return limit_; }

 private:
  std::size_t read_some(void* to, std::size_t count) override {
    std::size_t done = 0;
    while (done < count) {
      const zip_int64_t got = zip_fread(member_.get(), static_cast<char*>(to) + done, count - done);
      if (got < 0) throw IoError(fmt::format("cannot read '{}': it is damaged", name_));
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  Member member_;
  std::string name_;
  std::uintmax_t limit_;
};

struct MemberInfo {
  zip_uint64_t index = 0;
  std::string name;
  std::uintmax_t bytes = 0;
  std::string fault{};  // why it can not be read; empty: nothing
};

Archive open(const std::filesystem::path& path) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (archive) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  throw IoError(fmt::format("cannot read '{}' as .npz: {}; it is truncated or no zip archive", path.string(), reason));
}

/// The members. Those that can be read have sizes that the file can hold together.
std::vector<MemberInfo> list_members(zip_t* archive, const std::filesystem::path& path) {
  std::vector<MemberInfo> members;
  std::uintmax_t left = size_of_file(path) * deflate_expansion;
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t info;
    const auto index = static_cast<zip_uint64_t>(i);
    if (zip_stat_index(archive, index, 0, &info) != 0 || (info.valid & ZIP_STAT_NAME) == 0 ||
        (info.valid & ZIP_STAT_SIZE) == 0) {
      throw IoError(fmt::format("cannot read '{}': member {} has no name or size", path.string(), i));
    }
    MemberInfo& member = members.emplace_back(MemberInfo{index, info.name, info.size});
    if (!is_printable(member.name)) {
      member.name = printable(member.name);
      member.fault = fmt::format("cannot read '{}': member {} has control characters in its name, '{}'; rename it",
                                 path.string(), i, member.name);
    } else if (info.size > left) {
      member.fault = fmt::format("cannot read '{}': member {} claims {} bytes, more than the file can hold",
                                 path.string(), info.name, info.size);
    } else {
      left -= info.size;
    }
  }
  return members;
}

bool is_numeric(const NpyHeader& header) {
  return header.type.size() > 2 && std::string_view("iufcb").find(header.type[1]) != std::string_view::npos;
}

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw IoError(fmt::format("cannot write '{}': {}", path.string(), what));
}

/// Adds a member; `bytes` must stay until the archive is closed.
void add_member(zip_t* archive, const std::filesystem::path& path, const std::string& name,
                std::span<const zip_buffer_fragment_t> bytes) {
  zip_error_t error;
  zip_error_init(&error);
  Source source(zip_source_buffer_fragment_create(bytes.data(), bytes.size(), 0, &error));
  zip_error_fini(&error);
  if (!source) fail(path, "out of memory");
  const zip_int64_t index = zip_file_add(archive, name.c_str(), source.get(), ZIP_FL_ENC_UTF_8);
  if (index < 0) fail(path, fmt::format("member {}: {}", name, zip_strerror(archive)));
  static_cast<void>(source.release());  // the archive's now
  zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0);
  // A fixed date, so that equal contents make equal files.
  constexpr zip_uint16_t first_of_january_1980 = 1U << 5U | 1U;
  zip_file_set_dostime(archive, static_cast<zip_uint64_t>(index), 0, first_of_january_1980, 0);
}

zip_uint8_t* bytes_of(const void* data) {
  return static_cast<zip_uint8_t*>(const_cast<void*>(data));  // libzip's fragments have no const; it only reads them
}

std::array<zip_buffer_fragment_t, 2> member_of(const std::string& preamble, const AnyArray& values) {
  return std::visit(
      [&]<class T>(const Array<T>& array) {
        return std::array{
            zip_buffer_fragment_t{bytes_of(preamble.data()), preamble.size()},
            zip_buffer_fragment_t{bytes_of(array.data()), static_cast<zip_uint64_t>(array.size()) * sizeof(T)}};
      },
      values);
}

int cancel_requested(zip_t* /*archive*/, void* ctx) {
  return static_cast<const Context*>(ctx)->cancel_requested() ? 1 : 0;
}

/// What libzip made in memory goes to the disk.
void copy_to_file(const Context& ctx, zip_source_t* source, AtomicFile& file, const std::filesystem::path& path) {
  if (zip_source_open(source) != 0) fail(path, "the archive in memory can not be opened");
  std::vector<char> part(std::size_t{1} << 22U);
  zip_int64_t got = 0;
  while ((got = zip_source_read(source, part.data(), part.size())) > 0) {
    ctx.check_cancel("writing .npz");
    file.write(part.data(), static_cast<std::size_t>(got));
  }
  zip_source_close(source);
  if (got < 0) fail(path, "the archive in memory can not be read");
}

}  // namespace

bool is_npz(const std::filesystem::path& path) {
  const Archive archive = open(path);
  const auto members = list_members(archive.get(), path);
  return std::any_of(members.begin(), members.end(),
                     [](const MemberInfo& info) { return info.name.ends_with(extension); });
}

bool has_member(const std::filesystem::path& path, const std::string& name) {
  return zip_name_locate(open(path).get(), name.c_str(), 0) >= 0;
}

NpzContents read_npz(const Context& ctx, const std::filesystem::path& path, const std::string& header_member) {
  const Archive archive = open(path);
  NpzContents contents;
  for (const MemberInfo& info : list_members(archive.get(), path)) {
    const auto open_member = [&] {
      if (!info.fault.empty()) throw IoError(info.fault);
      return MemberSource(archive.get(), info.index, fmt::format("{}:{}", path.string(), info.name), info.bytes);
    };
    if (info.name == header_member) {
      MemberSource source = open_member();
      contents.header.resize(info.bytes);
      source.read(contents.header.data(), contents.header.size());
    }
    std::string name = info.name;
    if (name.ends_with(extension)) {
      name.resize(name.size() - extension.size());
    } else if (info.fault.empty()) {
      continue;
    }
    bool numeric = true;
    NamedArray array = array_or_fault(name, [&]() -> NamedArray {
      MemberSource source = open_member();
      const NpyHeader header = read_npy_header(source);
      numeric = is_numeric(header);
      return {name, numeric ? read_npy_elements(ctx, source, header) : AnyArray()};
    });
    if (numeric) contents.arrays.push_back(std::move(array));
  }
  if (contents.arrays.empty() && zip_get_num_entries(archive.get(), 0) == 0) {
    throw IoError(fmt::format("'{}' is an empty archive: it holds no array", path.string()));
  }
  if (contents.arrays.empty()) throw IoError(fmt::format("'{}' has no member that is a numeric array", path.string()));
  return contents;
}

void write_npz(const Context& ctx, const std::filesystem::path& path, std::span<const NamedArray> arrays,
               const std::string& header, const std::string& header_member) {
  AtomicFile file(path);
  std::vector<std::string> preambles;
  std::vector<std::array<zip_buffer_fragment_t, 2>> members;
  preambles.reserve(arrays.size());
  for (const NamedArray& array : arrays) {
    preambles.push_back(make_npy_preamble({npy_type_of(array.values), false, shape_of(array.values)}));
    members.push_back(member_of(preambles.back(), array.values));
  }
  const std::array<zip_buffer_fragment_t, 1> text{{{bytes_of(header.data()), header.size()}}};

  const Source memory(zip_source_buffer_create(nullptr, 0, 0, nullptr));
  if (!memory) fail(path, "out of memory");
  Archive archive(zip_open_from_source(memory.get(), ZIP_TRUNCATE, nullptr));
  if (!archive) fail(path, "out of memory");
  zip_source_keep(memory.get());
  if (!header.empty()) add_member(archive.get(), path, header_member, text);
  for (std::size_t i = 0; i < members.size(); ++i) {
    add_member(archive.get(), path, arrays[i].name + std::string(extension), members[i]);
  }
  zip_register_cancel_callback_with_state(archive.get(), &cancel_requested, nullptr, const_cast<Context*>(&ctx));
  if (zip_close(archive.get()) != 0) {
    ctx.check_cancel("writing .npz");
    fail(path, zip_strerror(archive.get()));
  }
  static_cast<void>(archive.release());  // closed
  copy_to_file(ctx, memory.get(), file, path);
  file.commit();
}

}  // namespace whorl::io
