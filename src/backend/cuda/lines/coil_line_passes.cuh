// Kernels over lines along x of the coils of one image: the packets of a block are different coils of the same lines,
// so that the image is read once, or its sum over the coils is written once.
#pragma once

#include "backend/cuda/lines/coil_line_passes.hpp"
#include "backend/cuda/lines/line_passes.cuh"

namespace whorl::backend::cuda {

/// The distance from one array to another in bytes, and a pointer moved by it.
__device__ __forceinline__ Index bytes_between(const void* from, const void* to) {
  return reinterpret_cast<const char*>(to) - reinterpret_cast<const char*>(from);
}
template <class T>
__device__ __forceinline__ const T* moved(const T* from, Index bytes) {
  return reinterpret_cast<const T*>(reinterpret_cast<const char*>(from) + bytes);
}

/// Lines of an image times lines of a map. Both have the same layout, so one distance leads from each line to its map.
template <class Real>
struct ProductLines {
  Lines<Real, const Complex2<Real>> image;
  Index map;  ///< bytes

  __device__ __forceinline__ Packet<Real> load(int n) const {
    Lines<Real, const Complex2<Real>> maps = image;
    maps.factor = nullptr;
#pragma unroll
    for (int l = 0; l < image.lanes; ++l) maps.start[l] = moved(image.start[l], map);
    const Packet<Real> x = image.load(n);
    const Packet<Real> s = maps.load(n);
    return each_lane<Real>([&](int l) {
      return Complex<Real>{x.lane[l].re * s.lane[l].re - x.lane[l].im * s.lane[l].im,
                           x.lane[l].re * s.lane[l].im + x.lane[l].im * s.lane[l].re};
    });
  }
};

/// The place of a thread in a block with `coils` coils of several packets of lines; the coils of a packet are adjacent.
template <class Plan>
struct CoilThread {
  int packet;   ///< number of the packet in the block
  int thread;   ///< number of the thread among those that share the packet
  int coil;     ///< number of the coil in the block
  int first;    ///< packet of the first coil of the same lines
  int threads;  ///< number of threads that share the lines, over all coils
  int y;        ///< the first of the lines

  __device__ __forceinline__ CoilThread(const Plan& plan, int coils, int lanes)
      : packet(static_cast<int>(threadIdx.x) / plan.threads),
        thread(static_cast<int>(threadIdx.x) - packet * plan.threads),
        coil(packet % coils),
        first(packet - coil),
        threads(coils * plan.threads),
        y((static_cast<int>(blockIdx.x * (blockDim.x / static_cast<unsigned>(threads))) + packet / coils) * lanes) {}
};

/// Transforms of the image of pass.in times each map.
template <class Real, class Plan>
__global__ void __launch_bounds__(Plan::block_threads, Plan::blocks_at_once)
    transform_products(const __grid_constant__ KernelTables<Real> tables, const __grid_constant__ LinePass<Real> pass,
                       const __grid_constant__ CoilMaps<Real> maps, int coils_of_block) {
  const Plan plan(tables.stages, tables.threads);
  const CoilThread<Plan> place(plan, coils_of_block, Packet<Real>::lanes);
  const int z = static_cast<int>(blockIdx.y);
  const int coil = static_cast<int>(blockIdx.z) * coils_of_block + place.coil;
  const auto one = static_cast<unsigned>(min(coil, maps.count - 1));
  const ProductLines<Real> in{{pass.in, plan.length, place.y, z, 0},
                              bytes_between(pass.in.data, maps.data + one * maps.distance)};
  const LineTile<Real> tile{place.packet * plan.length};
  const LineThread<Real, Plan> line{plan, tables.twiddle, place.thread};
  transform_to_tile(line, in, tile);
  Lines<Real, Complex2<Real>> out(pass.out, plan.length, place.y, z, one);
  if (coil >= maps.count) out.active = 0;
  store_from_tile(tables, line, pass, tile, out);
}

/// Sums that no compiler joins with a product before them.
__device__ __forceinline__ float rounded_sum(float a, float b) { return __fadd_rn(a, b); }
__device__ __forceinline__ double rounded_sum(double a, double b) { return __dadd_rn(a, b); }

/// The pixels of an image whose lines lie as those of another do, as they are: sums over coils between batches.
template <class Real>
struct PartialSums {
  const Lines<Real, Complex2<Real>>& lines;  ///< of the other image
  Index distance;                            ///< bytes

  __device__ __forceinline__ Packet<Real> load(int i, bool begun) const {
    return each_lane<Real>([&](int l) {
      const Complex2<Real> before = load_if(begun, moved<Complex2<Real>>(lines.start[l], distance) + i);
      return Complex<Real>{before.x, before.y};
    });
  }
  __device__ __forceinline__ void store(int i, const Packet<Real>& v) const {
#pragma unroll
    for (int l = 0; l < lines.lanes; ++l) {
      auto* const to = const_cast<Complex2<Real>*>(moved<Complex2<Real>>(lines.start[l], distance)) + i;
      store_if(l < lines.active, to, {v.lane[l].re, v.lane[l].im});
    }
  }
};

/// Inverse transforms of the grids of pass.in, times the conjugate of each map and summed as CoilSum says. The same thread
/// handles a pixel for all coils. The first half stands in the image until the second is complete.
template <class Real, class Plan>
__global__ void __launch_bounds__(Plan::block_threads, Plan::blocks_at_once)
    sum_products(const __grid_constant__ KernelTables<Real> tables, const __grid_constant__ LinePass<Real> pass,
                 const __grid_constant__ CoilMaps<Real> maps, int coils_of_block,
                 const __grid_constant__ kernels::CoilSum<Real> sums) {
  const Plan plan(tables.stages, tables.threads);
  const CoilThread<Plan> place(plan, coils_of_block, Packet<Real>::lanes);
  const int z = static_cast<int>(blockIdx.y);
  const LineTile<Real> tile{place.packet * plan.length};
  const LineThread<Real, Plan> line{plan, tables.twiddle, place.thread};
  const int before = static_cast<int>(sums.first);
  const int split = static_cast<int>(sums.split);
  for (int first = 0; first < maps.count; first += coils_of_block) {
    const auto one = static_cast<unsigned>(min(first + place.coil, maps.count - 1));
    const Lines<Real, const Complex2<Real>> in(pass.in, plan.length, place.y, z, one);
    transform_to_tile(line, in, tile);
    const Lines<Real, Complex2<Real>> out(pass.out, plan.length, place.y, z, 0);
    const PartialSums<Real> in_first{out, 0};
    const PartialSums<Real> in_second{out, bytes_between(pass.out.data, sums.second)};
    const Index map = bytes_between(pass.out.data, maps.data + first * maps.distance);
    const int coils = min(coils_of_block, maps.count - first);
    const int end_of_first = min(max(split - before - first, 0), coils);
    const bool last = before + first + coils == sums.all;
    for (int i = place.coil * plan.threads + place.thread; i < pass.out.x.count; i += place.threads) {
      const int n = out.point(i, pass.out.x.half, plan.length);
      // Frequency k of the inverse transform is frequency -k of the forward one.
      const int at = tables.place[n != 0 ? plan.length - n : n];
      const auto add = [&](Packet<Real> sum, int begin, int end) {
#pragma unroll 4
        for (int c = begin; c < end; ++c) {
          const Packet<Real> v = LineTile<Real>{(place.first + c) * plan.length}.load(at);
          sum = each_lane<Real>([&](int l) {
            const Complex2<Real> s = moved<Complex2<Real>>(out.start[l], map)[c * maps.distance + i];
            return Complex<Real>{rounded_sum(sum.lane[l].re, s.x * v.lane[l].re + s.y * v.lane[l].im),
                                 rounded_sum(sum.lane[l].im, s.x * v.lane[l].im - s.y * v.lane[l].re)};
          });
        }
        return sum;
      };
      Packet<Real> halves = in_first.load(i, before + first > 0 && (end_of_first > 0 || last));
      if (end_of_first > 0) halves = add(halves, 0, end_of_first);
      if (end_of_first > 0 && !last) in_first.store(i, halves);
      if (last) halves = out.scaled(i, halves);
      if (end_of_first < coils) {
        const Packet<Real> second = add(in_second.load(i, before + first > split), end_of_first, coils);
        if (!last) in_second.store(i, second);
        const Packet<Real> scaled = out.scaled(i, second);
        halves = each_lane<Real>([&](int l) {
          return Complex<Real>{rounded_sum(halves.lane[l].re, scaled.lane[l].re),
                               rounded_sum(halves.lane[l].im, scaled.lane[l].im)};
        });
      }
      if (last) in_first.store(i, halves);
    }
    __syncthreads();
  }
}

}  // namespace whorl::backend::cuda
