// Arrays whose elements lie in a temporary file, for what does not fit into memory.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

/// The folder of temporary files: the given one; if that is empty, TMPDIR's; if that is not set, /var/tmp. (/tmp lies in
/// memory on many systems.)
std::filesystem::path temporary_folder(const std::string& given = {});

namespace detail {
std::shared_ptr<std::byte> map_temporary_file(const std::filesystem::path& folder, std::size_t bytes);
}

/// An array on the host in a new file in `folder`, all bits 0. The file has no name and ends with the array, also if the
/// process is killed. Its space is reserved, so that writing to the array does not fail later. The array takes nothing
/// from a context's pool: the system keeps as much of it in memory as there is room for, and writes the rest to the file
/// (mmap). A limit on the memory of a group of processes (cgroup) or on a process's own data (RLIMIT_DATA) holds
/// without it; one on addresses (RLIMIT_AS) does not.
///
/// Throws  Error (no such folder, a folder that lies in memory itself, too little space), naming the folder and the bytes
template <class T>
Array<T> mapped_array(const std::filesystem::path& folder, const Shape& shape) {
  auto memory = detail::map_temporary_file(folder, static_cast<std::size_t>(shape.size()) * sizeof(T));
  return Array<T>::adopt(std::shared_ptr<T>(memory, reinterpret_cast<T*>(memory.get())), shape);
}

}  // namespace whorl
