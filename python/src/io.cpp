// Files in and out.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "described.hpp"
#include "options.hpp"
#include "run.hpp"
#include "scan/make_scan.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/convert.hpp"
#include "whorl/io/describe_file.hpp"
#include "whorl/io/image_writer.hpp"
#include "whorl/io/measurement_facts.hpp"
#include "whorl/io/option_tables.hpp"
#include "whorl/io/read_scan.hpp"
#include "whorl/io/write_scan.hpp"

namespace whorl::python {

namespace {

using Path = std::filesystem::path;

nb::object array_of(AnyArray values) {
  return std::visit([](auto& array) { return to_python(std::move(array)); }, values);
}

// A copy: files hold floats and complex numbers of both precisions.
AnyArray any_array_of(nb::handle object, const char* name) {
  Input input(object, name);
  using Code = nb::dlpack::dtype_code;
  const auto code = static_cast<Code>(input.dtype().code);
  if (input.is_complex()) {
    if (input.is_double()) return host_copy<std::complex<double>>(input);
    return host_copy<std::complex<float>>(input);
  }
  // Integers of up to 16 bits fit into float, as when files are read.
  const bool is_narrow = code == Code::Float ? !input.is_double() : input.dtype().bits <= 16;
  if (is_narrow) return host_copy<float>(input);
  return host_copy<double>(input);
}

nb::object affine_to_python(const std::optional<Affine>& affine) {
  if (!affine) return nb::none();
  Array<double> rows(Context(), {3, 4});
  const auto view = rows.view<2>();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) view(i, j) = affine->matrix[i][j];
  }
  return to_python(std::move(rows));
}

void bind_scans(Module& m) {
  def<"read_scan(path: Path, *, options, context) -> Scan">(
      m,
      [](const Path& path, nb::handle context, const ScanReadOptions& options) {
        return run(context_of(context), [&](const Context& ctx) { return read_scan(ctx, path, options); });
      },
      R"(Reads a scan from a file of any format that describes one, recognized by its content: ISMRMRD, what
write_scan writes, the HDF5 layout of the ISMRM reproducibility challenge, Parboil's mri-gridding.

Raises  IoError, ValueError, ShapeError, Cancelled)",
      options_of<ScanReadOptions>());
  def<"write_scan(scan: Scan, path: Path, format: str = '', *, context) -> None">(
      m,
      [](const Scan& scan, const Path& path, const std::string& format, nb::handle context) {
        if (scan.sample_weights.size() > 0) {
          throw ValueError(
              "write_scan: no format has a place for sample_weights; write them by write_array, and set them "
              "to None");
        }
        run(context_of(context), [&](const Context& ctx) { write_scan(ctx, scan, path, format); });
      },
      R"(Writes a scan in the format of the extension (.h5, .npz, .cfl) or of the name (ismrmrd, npz, cfl, challenge).
The file appears when it is complete.

Raises  ValueError, ShapeError, IoError)");
  def<"convert_scan(inputs: Sequence[Path], image_shape: Shape | None = None, *, options, "
      "field_of_view_mm: Vector = (0.0, 0.0, 0.0), trajectory_kind: str = 'other', context) -> Scan">(
      m,
      [](const std::vector<Path>& inputs, nb::handle image_shape, const std::array<double, 3>& field_of_view_mm,
         const std::string& kind, nb::handle context, ConvertOptions options) {
        if (!image_shape.is_none()) options.matrix = matrix_from(image_shape);
        options.field_of_view_mm = field_of_view_mm;
        options.trajectory_kind = kind;
        return run(context_of(context), [&](const Context& ctx) { return convert_scan(ctx, inputs, options); });
      },
      R"(A scan from files that do not describe themselves: NumPy, MATLAB, BART, HDF5, raw floats
(docs/reference/scans.md).

image_shape       ((z,) y, x); None: as the files, or the grid of Cartesian data, say
field_of_view_mm  x, y, z; 0: unknown
trajectory_kind   'radial', 'spiral' or 'other'

Raises  IoError, ValueError (options, values that are not finite, ambiguous axes or unit), ShapeError (sizes that do
        not fit each other), Unsupported (a format that this build cannot read))",
      options_of<ConvertOptions>());
  def<"describe_file(path: Path) -> dict[str, Any]">(
      m,
      [](const Path& path) {
        const FileDescription found = run(context_of(nb::none()), [&](const Context&) { return describe_file(path); });
        nb::dict result;
        result["format"] = found.format;
        result["description"] = found.description;
        result["bytes"] = found.bytes;
        result["holds_scan"] = found.holds_scan;
        result["holds_arrays"] = found.holds_arrays;
        return result;
      },
      R"(What a file is, by its content: format, description, bytes, holds_scan, holds_arrays.

Raises  IoError (a file that cannot be read, or is too damaged to recognize))");
}

void bind_arrays(Module& m) {
  Class<NamedArray>(m, "NamedArray", "An array with its name and position from a file.")
      .def_ro("name", &NamedArray::name,
              "That of the variable; in formats without names the file's, without folder and extension.")
      .def(property<"values(self) -> Array">(
          [](nb::handle self) {
            const auto& named = nb::cast<const NamedArray&>(self);
            check_readable(named);
            return std::visit([&](const auto& array) { return view_of(array.ref(), self); }, named.values);
          },
          "Axes in C order: an image is [..., z, y, x]. Raises IoError for an array with a fault."))
      .def_ro("fault", &NamedArray::fault, "Why its numbers can not be had; empty: they are there.")
      .def(property<"affine(self) -> Array | None">(
          [](const NamedArray& self) { return affine_to_python(self.affine); },
          "float64 [3, 4] from voxels (x, y, z) to RAS+ millimeters, if the file has it."));
  def<"read_named_arrays(path: Path) -> list[NamedArray]">(
      m,
      [](const Path& path) {
        auto arrays = run(context_of(nb::none()), [&](const Context& ctx) { return read_arrays(ctx, path); });
        nb::list list;
        for (NamedArray& array : arrays) list.append(nb::cast(std::move(array)));
        return list;
      },
      R"(All arrays of a file, with their names and positions; formats as read_arrays.

Raises  IoError, Unsupported)");
  def<"read_arrays(path: Path) -> dict[str, Array]">(
      m,
      [](const Path& path) {
        auto arrays = run(context_of(nb::none()), [&](const Context& ctx) { return read_arrays(ctx, path); });
        nb::dict result;
        for (NamedArray& array : arrays) {
          if (array.fault.empty()) {
            result[array.name.c_str()] = array_of(std::move(array.values));
          } else if (PyErr_WarnEx(PyExc_RuntimeWarning, array.fault.c_str(), 1) != 0) {
            throw nb::python_error();
          }
        }
        return result;
      },
      R"(All arrays of a file by name: NumPy, BART, MATLAB, NIfTI, ISMRMRD images, HDF5, Parboil, pictures.
One of several that can not be read is left out with a RuntimeWarning.

Raises  IoError, Unsupported)");
  def<"read_array(path: Path) -> Array">(
      m,
      [](const nb::object& path) {
        const auto text = nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(path));
        return array_of(run(context_of(nb::none()), [&](const Context& ctx) { return read_array(ctx, text).values; }));
      },
      R"(One array of finite values: 'FILE' for a file with a single array, else 'FILE:NAME'. Formats as read_arrays.

Raises  IoError, ValueError (several arrays without a NAME, an array that is not there, values that are not finite))");
  def<"write_array(path: Path, values: object, affine: object = None) -> None">(
      m,
      [](const Path& path, nb::handle values, nb::handle affine) {
        NamedArray array{"", any_array_of(values, "values"), {}};
        if (!affine.is_none()) array.affine = affine_from(affine);
        run(context_of(nb::none()), [&](const Context& ctx) { write_array(ctx, path, array); });
      },
      R"(Writes an array in the format of the extension: .npy, .npz, .cfl, .nii, .nii.gz, .h5. affine [3, 4]: from voxels to
RAS+ millimeters, for NIfTI. The file appears when it is complete.

Shapes  any, as many axes as the format has
Raises  ValueError (an extension of no format, a value that is not finite or does not fit the type that is
        stored), ShapeError (more axes than the format has), IoError, TypeError)");
  def<"write_arrays(path: Path, arrays: dict[str, object], format: str = '') -> None">(
      m,
      [](const Path& path, const nb::dict& arrays, const std::string& format) {
        std::vector<NamedArray> list;
        for (const auto [name, values] : arrays) {
          list.push_back({nb::cast<std::string>(nb::str(name)), any_array_of(values, "an array"), {}});
        }
        run(context_of(nb::none()), [&](const Context& ctx) { write_arrays(ctx, path, list, format); });
      },
      R"(Writes arrays by name: .npz and .h5 hold any number, .npy, .nii, .cfl one. The file appears when it is complete.

Shapes  any, as many axes as the format has
Raises  ValueError (as write_array; several arrays for a format of one), ShapeError, IoError, TypeError)");
}

void bind_image_files(Module& m) {
  def<"write_image(path: Path, images: object, frames: Sequence[ImageFrame] | None = None, *, complex: "
      "bool = False, measured: Path | None = None, bids_sidecar: bool = False, context) -> "
      "list[pathlib.Path]">(
      m,
      [](const Path& path, nb::handle images_object, nb::handle frames_object, bool is_complex,
         const std::optional<Path>& measured, bool bids_sidecar, nb::handle context) {
        using Complex = std::complex<float>;
        Input input(images_object, "images");
        Array<Complex> images = host_copy<Complex>(input);
        if (images.rank() == 2) images.reshape(images.shape().with_front(1));
        if (images.rank() == 3) images.reshape({images.extent(0), 1, images.extent(1), images.extent(2)});
        if (images.rank() != 4) {
          throw ShapeError("images has shape " + to_string(images.shape()) +
                           ", expected [y, x], [frame, y, x] or [frame, z, y, x]");
        }
        auto frames = frames_object.is_none() ? std::vector<ImageFrame>(static_cast<std::size_t>(images.extent(0)))
                                              : nb::cast<std::vector<ImageFrame>>(frames_object);
        if (frames_object.is_none()) {
          for (std::size_t i = 0; i < frames.size(); ++i) frames[i].index.repetition = static_cast<int>(i);
        }
        ImageOptions options{.part = is_complex ? ImagePart::complex : ImagePart::magnitude, .png = {}};
        if (bids_sidecar && path.extension() != ".nii" && path.extension() != ".gz") {
          throw ValueError("write_image: bids_sidecar has an effect only with NIfTI (.nii, .nii.gz); leave it out");
        }
        options.bids_sidecar = bids_sidecar;
        return run(context_of(context), [&](const Context& ctx) {
          if (measured) options.facts = read_measurement_facts(*measured);
          return write_image(ctx.host(), path, images, frames, options).files;
        });
      },
      R"(Writes images [frame, z, y, x] ([frame, y, x], [y, x]) with their positions: .nii, .nii.gz, .dcm, .npy, .h5,
.png, as magnitudes unless complex. Returns the files.

measured: the ISMRMRD file of the scan, whose header has what DICOM and sidecars say of the measurement.
bids_sidecar: it also goes to a .json file beside a NIfTI file, by the names of BIDS.

Raises  ShapeError, ValueError, IoError)");
}

}  // namespace

void bind_io(Module& m) {
  bind_scans(m);
  bind_arrays(m);
  bind_image_files(m);
}

}  // namespace whorl::python
