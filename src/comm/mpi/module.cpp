// The module libwhorl_mpi: the only code of whorl that knows MPI. It is loaded in processes that a launcher of MPI started.
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <memory>

#include "comm/mpi_calls.hpp"

namespace whorl::comm {

namespace {

// MPI counts in int: longer messages are sent in pieces.
constexpr std::size_t most_at_once = std::size_t{1} << 28;
constexpr int message_tag = 1;

MPI_Comm of(void* group) { return *static_cast<MPI_Comm*>(group); }

void* handle_of(MPI_Comm group) { return static_cast<void*>(std::make_unique<MPI_Comm>(group).release()); }

template <class Work>
void in_pieces(std::size_t count, const Work& work) {
  for (std::size_t done = 0; done < count; done += most_at_once) {
    work(done, static_cast<int>(std::min(most_at_once, count - done)));
  }
}

void* start() {
  int running = 0;
  int level = 0;
  MPI_Initialized(&running);
  // The program's other threads call no MPI.
  if (running == 0 && MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) return nullptr;
  return handle_of(MPI_COMM_WORLD);
}

void finish() {
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended == 0) MPI_Finalize();
}

int rank(void* group) {
  int number = 0;
  MPI_Comm_rank(of(group), &number);
  return number;
}

int size(void* group) {
  int number = 0;
  MPI_Comm_size(of(group), &number);
  return number;
}

void broadcast(void* group, void* bytes, std::size_t count, int root) {
  in_pieces(count, [&](std::size_t from, int many) {
    MPI_Bcast(static_cast<std::byte*>(bytes) + from, many, MPI_BYTE, root, of(group));
  });
}

void gather_sizes(void* group, std::size_t own, std::size_t* all, int root) {
  static_assert(sizeof(std::size_t) == sizeof(unsigned long long));
  MPI_Gather(&own, 1, MPI_UNSIGNED_LONG_LONG, all, 1, MPI_UNSIGNED_LONG_LONG, root, of(group));
}

void send(void* group, const void* bytes, std::size_t count, int to) {
  in_pieces(count, [&](std::size_t from, int many) {
    MPI_Send(static_cast<const std::byte*>(bytes) + from, many, MPI_BYTE, to, message_tag, of(group));
  });
}

void receive(void* group, void* bytes, std::size_t count, int from_rank) {
  in_pieces(count, [&](std::size_t from, int many) {
    MPI_Recv(static_cast<std::byte*>(bytes) + from, many, MPI_BYTE, from_rank, message_tag, of(group),
             MPI_STATUS_IGNORE);
  });
}

void sum(void* group, float* values, std::size_t count, int root) {
  const bool is_root = rank(group) == root;
  in_pieces(count, [&](std::size_t from, int many) {
    MPI_Reduce(is_root ? MPI_IN_PLACE : values + from, is_root ? values + from : nullptr, many, MPI_FLOAT, MPI_SUM,
               root, of(group));
  });
}

void* split(void* group, int color, int key) {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(of(group), color, key, &part);
  return handle_of(part);
}

void release(void* group) {
  const std::unique_ptr<MPI_Comm> owned(static_cast<MPI_Comm*>(group));
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended == 0 && *owned != MPI_COMM_WORLD) MPI_Comm_free(owned.get());
}

void abort(int exit_code) { MPI_Abort(MPI_COMM_WORLD, exit_code); }

}  // namespace
}  // namespace whorl::comm

extern "C" [[gnu::visibility("default")]] const whorl::comm::MpiCalls* whorl_mpi_calls() {
  using namespace whorl::comm;
  static const MpiCalls calls{.version = mpi_calls_version,
                              .start = start,
                              .finish = finish,
                              .rank = rank,
                              .size = size,
                              .broadcast = broadcast,
                              .gather_sizes = gather_sizes,
                              .send = send,
                              .receive = receive,
                              .sum = sum,
                              .split = split,
                              .release = release,
                              .abort = abort};
  return &calls;
}
