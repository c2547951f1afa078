# Two errors derive from Python's own ValueError, whose name one of them has.
whorl._core.(?P<error>ShapeError|ValueError)$:
    \from builtins import ValueError as PythonValueError
    class \1(Error, PythonValueError):
        \doc
