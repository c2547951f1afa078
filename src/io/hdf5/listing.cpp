#include "io/hdf5/listing.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace whorl::io {

namespace {

constexpr int most_group_levels = 64;
constexpr std::size_t most_links = 200000;

struct Walk {
  const std::function<bool(hid_t)>& wanted;
  Hdf5Listing listing{};
  std::string folder{};
  int level = 0;
  std::size_t links = 0;
  std::set<std::pair<unsigned long, haddr_t>> seen{};  // of those with several names
};

herr_t take_link(hid_t group, const char* name, const H5L_info_t* link, void* to);

herr_t walk_group(hid_t group, const char* name, Walk& walk) {
  if (++walk.level > most_group_levels) {
    walk.listing.fault = fmt::format("its groups lie in each other in more than {} levels", most_group_levels);
    return -1;
  }
  const std::string folder = walk.folder;
  walk.folder += std::string(name) + "/";
  const Hdf5Handle below(H5Gopen2(group, name, H5P_DEFAULT), &H5Gclose);
  const herr_t done = H5Literate(below.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, &take_link, &walk);
  walk.folder = folder;
  --walk.level;
  return done;
}

herr_t take_link(hid_t group, const char* name, const H5L_info_t* link, void* to) {
  Walk& walk = *static_cast<Walk*>(to);
  if (++walk.links > most_links) {
    walk.listing.fault = fmt::format("it has more than {} groups and data sets", most_links);
    return -1;
  }
  if (link->type != H5L_TYPE_HARD) return 0;
  H5O_info_t info;
  if (H5Oget_info_by_name2(group, name, &info, H5O_INFO_BASIC, H5P_DEFAULT) < 0) return -1;
  if (info.rc > 1 && !walk.seen.emplace(info.fileno, info.addr).second) return 0;
  if (info.type == H5O_TYPE_GROUP) return walk_group(group, name, walk);
  if (info.type != H5O_TYPE_DATASET) return 0;
  const Hdf5Handle dataset(H5Dopen2(group, name, H5P_DEFAULT), &H5Dclose);
  if (dataset.valid() && walk.wanted(dataset.get())) walk.listing.names.push_back(walk.folder + name);
  return 0;
}

herr_t take_name(hid_t /*group*/, const char* name, const H5L_info_t* /*info*/, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

}  // namespace

Hdf5Listing list_hdf5(hid_t file, const std::function<bool(hid_t dataset)>& wanted) {
  Walk walk{.wanted = wanted};
  H5O_info_t root;
  if (H5Oget_info2(file, &root, H5O_INFO_BASIC) >= 0) walk.seen.emplace(root.fileno, root.addr);
  if (H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, &take_link, &walk) < 0 && walk.listing.fault.empty()) {
    walk.listing.fault = "can not list its datasets: it is damaged";
  }
  return std::move(walk.listing);
}

std::optional<std::vector<std::string>> names_in(hid_t file) {
  std::vector<std::string> names;
  if (H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, &take_name, &names) < 0) return std::nullopt;
  return names;
}

}  // namespace whorl::io
