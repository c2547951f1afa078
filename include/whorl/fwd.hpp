// Declarations of whorl's classes, for headers that name them only in references and pointers.
#pragma once

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

// core
class Context;
class CancelToken;
class ProgressSink;
class MemoryPool;
class Shape;
class Image;
struct Device;
enum class DeviceKind;
template <class T>
class Array;
template <class T>
class ArrayRef;
template <class T, int Rank>
class View;
class Error;

// Measurements and images
struct Trajectory;
struct Scan;
struct ScanFrame;
struct Geometry;

// op
template <class Real>
class LinearOperator;
template <class Real>
class Operator;
template <class Real>
class Nufft;
template <class Real>
class Dft;
template <class Real>
class PositionDft;
template <class Real>
class Gridding;
template <class Real>
class Sense;
template <class Real>
class SenseNufft;
template <class Real>
class BlockDiagonal;
template <class Real>
class SignalEvolution;
template <class Real>
class WeightedDifferences;
struct NufftOptions;

// solver, recon
struct SolverReport;
struct ReconOptions;
struct Reconstruction;

// filter
class Filter;
class FilterRegistry;
class Pipeline;
class PipelinePlan;

}  // namespace whorl
