"""How results look in an interpreter and in a notebook."""

import base64
import html
import struct
import zlib

import numpy

from . import _core


def _value(value):
    if value is None or isinstance(value, (bool, int, float, complex)):
        return f"{value:.4g}" if isinstance(value, float) else repr(value)
    if hasattr(value, "shape"):
        return f"{value.dtype.name} {list(value.shape)}"
    if isinstance(value, (list, tuple, dict)) and len(value) > 4:
        return f"{len(value)} elements"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _properties(self):
    names = [name for name in dir(type(self)) if not name.startswith("_") and isinstance(getattr(type(self), name), property)]
    values = ((name, getattr(self, name)) for name in names)
    return [(name, _value(value)) for name, value in values if value is not None]


def _repr(self):
    listed = ", ".join(f"{name}={value}" for name, value in _properties(self))
    return f"<whorl.{type(self).__name__}{': ' if listed else ''}{listed}>"


def png(picture):
    """An array [row, column, 3] of bytes as a file of PNG (ISO/IEC 15948)."""
    rows, columns, _ = picture.shape

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    lines = b"".join(b"\0" + row.tobytes() for row in picture)
    header = struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


def _repr_png(self):
    images = numpy.nan_to_num(self.images, posinf=0, neginf=0)
    return png(_core.montage_picture(images, tiles=16, zoom=max(1, 256 // max(images.shape[-2:]))))


def _repr_html(self):
    picture = base64.b64encode(_repr_png(self)).decode()
    lines = [repr(self), *(f"image {i}: {report!r}" for i, report in enumerate(self.reports[:4])), *self.notes]
    listed = "".join(f"<li>{html.escape(line)}</li>" for line in lines)
    return f'<img src="data:image/png;base64,{picture}" alt="magnitude of the images"/><ul>{listed}</ul>'


def add_views():
    """Gives each class of the extension module a text, and reconstructions a picture."""
    for kind in vars(_core).values():
        if _is_result(kind) and kind.__repr__ is object.__repr__:
            kind.__repr__ = _repr
    _core.Reconstruction._repr_png_ = _repr_png
    _core.Reconstruction._repr_html_ = _repr_html


def _is_result(kind):
    return isinstance(kind, type) and kind.__module__ == "whorl._core" and not issubclass(kind, BaseException)
