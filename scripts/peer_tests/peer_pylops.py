"""PyLops' tests take dense matrices for operators in general: here they are operators of whorl that multiply by these matrices.

whorl's operators are complex, so the tests with real numbers are not run.
"""

import numpy as np
import pylops
import whorl
import whorl.pylops
from used import counts, replace

_theirs = pylops.MatrixMult


def MatrixMult(A, otherdims=None, dtype="float64", forceflat=None):
    if otherdims is not None or not np.issubdtype(dtype, np.complexfloating):
        return _theirs(A, otherdims=otherdims, dtype=dtype, forceflat=forceflat)
    rows, columns = A.shape
    forward, adjoint = lambda x: A @ x, lambda y: A.conj().T @ y
    # Theirs multiplies by the matrix as it is, whatever dtype says.
    return whorl.pylops.LinearOperator(
        whorl.function_operator((columns,), (rows,), forward, adjoint, dtype=A.dtype.name), forceflat=forceflat
    )


def pytest_collection_modifyitems(config, items):
    """Keeps the tests that have complex matrices."""

    def kept(item):
        parameters = getattr(item, "callspec", None) and item.callspec.params.get("par", {})
        return "MatrixMult(" in _source(item.function) and parameters and np.iscomplex(parameters.get("imag", 0))

    config.hook.pytest_deselected(items=[item for item in items if not kept(item)])
    items[:] = [item for item in items if kept(item)]


def _source(function):
    import inspect

    return inspect.getsource(function)


counts(whorl.pylops.LinearOperator)
replace(_theirs, MatrixMult, "pylops")
