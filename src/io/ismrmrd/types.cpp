#include "io/ismrmrd/types.hpp"

#include <array>
#include <complex>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "io/ismrmrd/file.hpp"

namespace whorl::io {

namespace {

enum class Kind { uint16, uint64, float32, float32_by_3 };

struct Member {
  const char* name;
  std::size_t offset;
  Kind kind;
};

constexpr std::array<Member, 13> head_members{
    {{"flags", offsetof(AcquisitionHead, flags), Kind::uint64},
     {"number_of_samples", offsetof(AcquisitionHead, number_of_samples), Kind::uint16},
     {"active_channels", offsetof(AcquisitionHead, active_channels), Kind::uint16},
     {"discard_pre", offsetof(AcquisitionHead, discard_pre), Kind::uint16},
     {"discard_post", offsetof(AcquisitionHead, discard_post), Kind::uint16},
     {"center_sample", offsetof(AcquisitionHead, center_sample), Kind::uint16},
     {"encoding_space_ref", offsetof(AcquisitionHead, encoding_space_ref), Kind::uint16},
     {"trajectory_dimensions", offsetof(AcquisitionHead, trajectory_dimensions), Kind::uint16},
     {"sample_time_us", offsetof(AcquisitionHead, sample_time_us), Kind::float32},
     {"position", offsetof(AcquisitionHead, position), Kind::float32_by_3},
     {"read_dir", offsetof(AcquisitionHead, read_dir), Kind::float32_by_3},
     {"phase_dir", offsetof(AcquisitionHead, phase_dir), Kind::float32_by_3},
     {"slice_dir", offsetof(AcquisitionHead, slice_dir), Kind::float32_by_3}}};

constexpr std::array<Member, 9> counter_members{
    {{"kspace_encode_step_1", offsetof(AcquisitionCounters, kspace_encode_step_1), Kind::uint16},
     {"kspace_encode_step_2", offsetof(AcquisitionCounters, kspace_encode_step_2), Kind::uint16},
     {"average", offsetof(AcquisitionCounters, average), Kind::uint16},
     {"slice", offsetof(AcquisitionCounters, slice), Kind::uint16},
     {"contrast", offsetof(AcquisitionCounters, contrast), Kind::uint16},
     {"phase", offsetof(AcquisitionCounters, phase), Kind::uint16},
     {"repetition", offsetof(AcquisitionCounters, repetition), Kind::uint16},
     {"set", offsetof(AcquisitionCounters, set), Kind::uint16},
     {"segment", offsetof(AcquisitionCounters, segment), Kind::uint16}}};

Hdf5Handle memory_type(Kind kind) {
  constexpr hsize_t three = 3;
  switch (kind) {
    case Kind::uint16:
      return {H5Tcopy(H5T_NATIVE_UINT16), &H5Tclose};
    case Kind::uint64:
      return {H5Tcopy(H5T_NATIVE_UINT64), &H5Tclose};
    case Kind::float32:
      return {H5Tcopy(H5T_NATIVE_FLOAT), &H5Tclose};
    case Kind::float32_by_3:
      break;
  }
  return {H5Tarray_create2(H5T_NATIVE_FLOAT, 1, &three), &H5Tclose};
}

H5T_class_t type_class(Kind kind) {
  if (kind == Kind::float32) return H5T_FLOAT;
  return kind == Kind::float32_by_3 ? H5T_ARRAY : H5T_INTEGER;
}

Hdf5Handle compound(std::size_t size) { return {H5Tcreate(H5T_COMPOUND, size), &H5Tclose}; }

void insert(const Hdf5Handle& type, const char* name, std::size_t offset, const Hdf5Handle& member) {
  H5Tinsert(type.get(), name, offset, member.get());
}

/// The type of a member of a compound; invalid if there is no such member.
Hdf5Handle member_type(hid_t type, const char* name) {
  const int index = H5Tget_class(type) == H5T_COMPOUND ? H5Tget_member_index(type, name) : -1;
  return {index < 0 ? -1 : H5Tget_member_type(type, static_cast<unsigned>(index)), &H5Tclose};
}

template <std::size_t N>
std::string members_fault(hid_t type, const std::array<Member, N>& members, std::string_view where) {
  for (const Member& member : members) {
    const Hdf5Handle found = member_type(type, member.name);
    if (!found.valid()) return std::string(where) + " has no " + member.name;
    if (H5Tget_class(found.get()) != type_class(member.kind)) {
      return std::string(where) + "." + member.name + " has another type";
    }
  }
  return {};
}

/// The element type of a variable-length member; invalid where it is none.
Hdf5Handle element_type(hid_t file_type, const char* name) {
  const Hdf5Handle list = member_type(file_type, name);
  const bool variable = list.valid() && H5Tget_class(list.get()) == H5T_VLEN;
  return {variable ? H5Tget_super(list.get()) : -1, &H5Tclose};
}

bool is_complex(hid_t type) {
  if (H5Tget_class(type) != H5T_COMPOUND || H5Tget_nmembers(type) != 2) return false;
  return H5Tget_member_class(type, 0) == H5T_FLOAT && H5Tget_member_class(type, 1) == H5T_FLOAT;
}

struct Free {
  void operator()(void* memory) const { H5free_memory(memory); }
};

void* allocate_within(std::size_t size, void* limit) {
  return size > *static_cast<const std::uintmax_t*>(limit) ? nullptr : std::malloc(size);
}

void release(void* memory, void* /*unused*/) { std::free(memory); }

}  // namespace

std::string acquisition_type_fault(hid_t file_type) {
  if (H5Tget_class(file_type) != H5T_COMPOUND) return "it is not a compound";
  const Hdf5Handle head = member_type(file_type, "head");
  if (!head.valid()) return "it has no head";
  std::string fault = members_fault(head.get(), head_members, "head");
  if (!fault.empty()) return fault;
  const Hdf5Handle idx = member_type(head.get(), "idx");
  if (!idx.valid()) return "head has no idx";
  fault = members_fault(idx.get(), counter_members, "head.idx");
  if (!fault.empty()) return fault;
  const Hdf5Handle traj = element_type(file_type, "traj");
  if (!traj.valid() || H5Tget_class(traj.get()) != H5T_FLOAT) return "traj is not a list of floating-point numbers";
  const Hdf5Handle data = element_type(file_type, "data");
  if (!data.valid() || (H5Tget_class(data.get()) != H5T_FLOAT && !is_complex(data.get()))) {
    return "data is not a list of complex numbers";
  }
  return {};
}

Hdf5Handle acquisition_head_type() {
  const Hdf5Handle idx = compound(sizeof(AcquisitionCounters));
  for (const Member& member : counter_members) insert(idx, member.name, member.offset, memory_type(member.kind));
  const Hdf5Handle head = compound(sizeof(AcquisitionHead));
  for (const Member& member : head_members) insert(head, member.name, member.offset, memory_type(member.kind));
  insert(head, "idx", offsetof(AcquisitionHead, idx), idx);
  Hdf5Handle type = compound(sizeof(AcquisitionHead));
  insert(type, "head", 0, head);
  return type;
}

bool samples_are_floats(hid_t file_type) { return H5Tget_class(element_type(file_type, "data").get()) == H5T_FLOAT; }

bool acquisition_lists_are_plain(hid_t file_type) {
  const auto is_float = [](hid_t type) { return H5Tequal(type, H5T_IEEE_F32LE) > 0; };
  const Hdf5Handle positions = element_type(file_type, "traj");
  const Hdf5Handle samples = element_type(file_type, "data");
  if (!is_float(positions.get())) return false;
  if (!is_complex(samples.get())) return is_float(samples.get());
  const Hdf5Handle real(H5Tget_member_type(samples.get(), 0), &H5Tclose);
  const Hdf5Handle imaginary(H5Tget_member_type(samples.get(), 1), &H5Tclose);
  return is_float(real.get()) && is_float(imaginary.get()) && H5Tget_size(samples.get()) == 2 * sizeof(float) &&
         H5Tget_member_offset(samples.get(), 0) == 0 && H5Tget_member_offset(samples.get(), 1) == sizeof(float);
}

Hdf5Handle acquisition_samples_type(hid_t file_type) {
  const Hdf5Handle stored = element_type(file_type, "data");
  Hdf5Handle element = memory_type(Kind::float32);
  if (H5Tget_class(stored.get()) == H5T_COMPOUND) {
    element = compound(sizeof(std::complex<float>));
    for (unsigned part = 0; part < 2; ++part) {
      const std::unique_ptr<char, Free> name(H5Tget_member_name(stored.get(), part));
      insert(element, name.get(), part * sizeof(float), memory_type(Kind::float32));
    }
  }
  Hdf5Handle type = compound(sizeof(AcquisitionSamples));
  insert(type, "traj", offsetof(AcquisitionSamples, traj),
         {H5Tvlen_create(memory_type(Kind::float32).get()), &H5Tclose});
  insert(type, "data", offsetof(AcquisitionSamples, data), {H5Tvlen_create(element.get()), &H5Tclose});
  return type;
}

VariableLengthGuard::VariableLengthGuard(std::uintmax_t file_size)
    : file_size_(file_size), transfer_(H5Pcreate(H5P_DATASET_XFER), &H5Pclose) {}

std::vector<AcquisitionSamples> VariableLengthGuard::read(hid_t table, hid_t type, Index first, Index count) const {
  std::uintmax_t limit = file_size_;
  H5Pset_vlen_mem_manager(transfer_.get(), &allocate_within, &limit, &release, nullptr);
  const Hdf5Handle space(H5Dget_space(table), &H5Sclose);
  const auto start = static_cast<hsize_t>(first);
  const auto many = static_cast<hsize_t>(count);
  const Hdf5Handle memory(H5Screate_simple(1, &many, nullptr), &H5Sclose);
  std::vector<AcquisitionSamples> samples(static_cast<std::size_t>(count));
  const bool list = H5Sget_simple_extent_ndims(space.get()) == 1;
  if (list && H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &start, nullptr, &many, nullptr) < 0) return {};
  if (H5Dread(table, type, memory.get(), space.get(), transfer_.get(), samples.data()) < 0) {
    const VariableLengthRelease partly(samples);
    return {};
  }
  return samples;
}

VariableLengthRelease::~VariableLengthRelease() {
  for (const AcquisitionSamples& acquisition : samples_) {
    std::free(acquisition.traj.p);
    std::free(acquisition.data.p);
  }
}

}  // namespace whorl::io
