"""Functions and methods of the extension module with signatures that `inspect` knows, and messages about wrong arguments that
say which argument, what was expected and what was given."""

import ast
import difflib
import functools
import inspect
import os
import re
import sys
import textwrap
import types
import typing
import collections.abc

from . import _core


def _signature(text, _, defaults):
    # The text is "def NAME(...) -> RESULT", as the extension module has it. Defaults are texts, or numbers of those that follow.
    function = ast.parse(re.sub(r"\\(\d+)", r"_\1", text) + ": ...").body[0]
    values = {"float": float, **{f"_{i}": default for i, default in enumerate(defaults or ())}}
    arguments = function.args
    P = inspect.Parameter

    def value(node):
        return P.empty if node is None else eval(compile(ast.Expression(node), text, "eval"), values)

    def annotation(node):
        return P.empty if node is None else ast.unparse(node)

    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults
    found = [
        P(a.arg, P.POSITIONAL_OR_KEYWORD, default=value(d), annotation=annotation(a.annotation)) for a, d in zip(plain, defaults)
    ]
    if arguments.vararg:
        found.append(P(arguments.vararg.arg, P.VAR_POSITIONAL, annotation=annotation(arguments.vararg.annotation)))
    for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults):
        found.append(P(a.arg, P.KEYWORD_ONLY, default=value(d), annotation=annotation(a.annotation)))
    if arguments.kwarg:
        found.append(P(arguments.kwarg.arg, P.VAR_KEYWORD))
    return inspect.Signature(found, return_annotation=annotation(function.returns))


def is_module(thing):
    return isinstance(thing, types.ModuleType)


# Names of other packages (SigPy, mri-nufft, MRpro, BART, SciPy), and those of whorl for the same.
_ELSEWHERE = {
    ("max_iter", "maxiter", "n_iter", "niter", "n_iterations", "num_iterations", "max_iterations"): ("iterations",),
    ("tol", "eps", "atol", "rtol"): ("tolerance", "nufft_tolerance"),
    ("mps", "smaps", "csm", "coil_maps", "sens", "sensitivities"): ("maps",),
    ("lam", "lamda", "lambda", "lambd", "alpha", "damp"): ("lambda_", "damping"),
    ("device", "gpu"): ("context",),
    ("n_coils", "num_coils"): ("coils",),
    ("shape", "oshape", "ishape", "im_size", "recon_matrix", "matrix"): ("image_shape", "shape"),
    ("coord", "coords", "samples", "omega", "ktraj", "traj", "kspace_loc"): ("points", "trajectory"),
    ("ksp", "kspace", "y"): ("data", "b"),
    ("show_pbar", "verbose"): ("progress",),
    ("reg", "regularizer", "prior"): ("regularize",),
    ("density", "dcf", "dcomp"): ("weights", "density"),
    ("pdhg", "chambolle_pock", "primaldual"): ("primal_dual",),
    ("cg", "conj_grad"): ("conjugate_gradient",),
    ("espiritcalib", "ecalib"): ("estimate_coil_maps", "espirit"),
}


def meant(name, names):
    """The name that is near, as the end of a message; empty where none is."""
    known = [whorls for others, whorls in _ELSEWHERE.items() if name.lower() in others]
    near = [one for one in (known[0] if known else ()) if one in names]
    plain = {one.lower(): one for one in names}
    near = near or [plain[one] for one in difflib.get_close_matches(name.lower(), plain, 1, 0.6)]
    return f"; did you mean {near[0]}?" if near else ""


def checked(function, name):
    """A function of Python whose wrong arguments have the messages of those of the extension module."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args, **keywords):
        try:
            signature.bind(*args, **keywords)
        except TypeError:
            raise TypeError(_complaint(name, signature, args, keywords)) from None
        return function(*args, **keywords)

    return call


def no_attribute(home, groups):
    """The __getattr__ of a module of whorl: says where a name is that is somewhere else."""

    def missing(name):
        public = {home.__name__: dir(home), "whorl": sys.modules["whorl"].__all__} | {f"whorl.{g}": m.__all__ for g, m in groups.items()}
        homes = [f"{where}.{name}" for where, names in public.items() if name in names]
        near = f"; it is {' and '.join(homes)}" if homes else meant(name, [one for one in dir(home) if not one.startswith("_")])
        raise AttributeError(f"{home.__name__} has no {name}{near}", name=name, obj=home)

    return missing


_NAMES = {"whorl": types.SimpleNamespace(_core=_core), "typing": typing, "collections": collections, "os": os, "float": float, "numpy": types.SimpleNamespace(ndarray=object)}


def _fits(value, kind):
    # Whether nanobind takes the value for an argument of that type; a doubt counts as yes.
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if kind in (object, typing.Any, inspect.Parameter.empty):
        return True
    if kind in (None, type(None)):
        return value is None
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, part) for part in parts)
    if origin is typing.Literal:
        return isinstance(value, str)
    if kind is float:
        return hasattr(value, "__float__") or hasattr(value, "__index__")
    if kind is int:
        return hasattr(value, "__index__")
    if kind is bool:
        return isinstance(value, bool) or type(value).__name__.startswith("bool")
    if origin is collections.abc.Callable:
        return callable(value)
    if origin is tuple:
        fits = hasattr(value, "__len__") and hasattr(value, "__iter__") and not isinstance(value, str)
        if not fits or parts[-1] is Ellipsis:
            return fits
        return len(value) == len(parts) and all(map(_fits, value, parts))
    if origin in (collections.abc.Sequence, collections.abc.Iterable, list):
        return hasattr(value, "__iter__") and not isinstance(value, (str, dict)) and all(_fits(v, parts[0]) for v in value)
    if origin is dict:
        return isinstance(value, dict)
    return isinstance(value, kind) if isinstance(kind, type) else True


def _said(value):
    text = repr(value).replace("\n", " ")
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"an array of shape {tuple(value.shape)}"
    if " at 0x" in text:
        return f"of the type {type(value).__name__}"
    return f"{text if len(text) <= 60 else text[:57] + '...'} ({type(value).__name__})"


def _wanted(annotation):
    text = annotation.replace("collections.abc.", "").replace("typing.", "").replace("os.PathLike", "path").replace("whorl._core.", "")
    text = re.sub(r"\bLiteral\[(.*?)\]", r"\1", text)
    return text.replace("numpy.ndarray", "array").replace(" | ", " or ")


def _complaint(name, signature, args, keywords):
    """Why these arguments are refused."""
    shown = [p for p in signature.parameters if p != "self"]
    for keyword in keywords:
        if keyword not in signature.parameters:
            near = meant(keyword, shown)
            return f"{name}: no argument {keyword}{near}{' It' if near else '; it'} has {', '.join(shown)}"
    try:
        bound = signature.bind(*args, **keywords)
    except TypeError as error:
        return f"{name}: {error}; it is {name}{_short(signature)}"
    for argument, value in bound.arguments.items():
        annotation = signature.parameters[argument].annotation
        if argument == "self" or annotation is inspect.Parameter.empty:
            continue
        kind = eval(annotation, {**vars(_core), **_NAMES})
        several = signature.parameters[argument].kind is inspect.Parameter.VAR_POSITIONAL
        for one in value if several else [value]:
            if not _fits(one, kind):
                return f"{name}: {argument} is {_said(one)}, expected {_wanted(annotation)}"
    given = ", ".join(f"{argument} {_said(value)}" for argument, value in bound.arguments.items() if argument != "self")
    return f"{name}: these arguments do not go together: {given}; it is {name}{_short(signature)}"


def _short(signature):
    # Without types, and with no more options than one reads.
    parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values() if p.name != "self"]
    text = str(inspect.Signature(parameters))
    return text if len(text) <= 200 else text[:197] + "..."


def _result(function, args, keywords):
    """What a function of the extension module returns; NotImplemented for arguments of other types than its own."""
    try:
        return function(*args, **keywords)
    except _core._OtherType:
        return NotImplemented


@functools.cache
def explained(function, name, module):
    """A function of Python that calls `function` of the extension module."""
    signature = _signature(*function.__nb_signature__[0])

    def call(*args, **keywords):
        result = _result(function, args, keywords)
        if result is NotImplemented:
            raise TypeError(_complaint(name, signature, args, keywords))
        return result

    call.__name__ = call.__qualname__ = name.rpartition(".")[2]
    call.__module__ = module
    call.__signature__ = signature
    call.__doc__ = function.__nb_signature__[0][1]
    call.__wrapped__ = function
    return call


def _is_raw(thing):
    return hasattr(thing, "__nb_signature__") and not isinstance(thing, type)


def explain_classes():
    """Does so for the classes of the extension module."""
    message = inspect.Signature([inspect.Parameter("message", inspect.Parameter.POSITIONAL_ONLY)])
    for kind in vars(_core).values():
        if not isinstance(kind, type) or kind.__module__ != _core.__name__:
            continue
        if issubclass(kind, BaseException):
            kind.__signature__ = message
        else:
            _explain_class(kind)


def _explain_class(kind):
    for name, member in list(vars(kind).items()):
        if name.startswith("__") and name not in ("__init__", "__call__"):
            continue
        full = f"{kind.__name__}.{name}" if name != "__init__" else kind.__name__
        if isinstance(member, property):
            if member.fset is None or _is_raw(member.fset):
                set_value = _setter(member, full) if member.fset else _refusal(kind, name)
                setattr(kind, name, property(member.fget, set_value, None, member.__doc__))
        elif _is_raw(member) and len(member.__nb_signature__) == 1:
            setattr(kind, name, explained(member, full, "whorl"))
    if "__init__" in vars(kind):
        init = inspect.signature(kind.__init__)
        kind.__signature__ = init.replace(parameters=list(init.parameters.values())[1:])


def _refusal(kind, name):
    def refuse(self, value):
        replace = getattr(kind, "replace", None)
        known = replace and name in inspect.signature(replace).parameters
        advice = f"; {kind.__name__}.replace({name}=...) makes a copy with another" if known else ""
        raise AttributeError(f"{kind.__name__}.{name} cannot be set{advice}")

    return refuse


def _setter(member, name):
    text, *rest = member.fset.__nb_signature__[0]
    *_, wanted = _signature(text.replace("def (", "def set(", 1), *rest).parameters.values()

    def set_value(self, value):
        if _result(member.fset, (self, value), {}) is NotImplemented:
            old = member.fget(self)
            expected = f"{len(old)} numbers" if isinstance(old, list) else _wanted(wanted.annotation)
            raise TypeError(f"{name} is {_said(value)}, expected {expected}")

    return set_value


# How examples begin that need a scan.
_STARTS = {
    "A SCAN": """\
    >>> plan = whorl.Scan(whorl.trajectory.radial_trajectory(20, 32), (16, 16))
    >>> scan = whorl.phantom.phantom_scan(whorl.phantom.shepp_logan(), plan, coils=4, noise=0.001, noise_samples=500)""",
    "A PLACED SCAN": """\
    >>> where = whorl.Geometry()
    >>> where.field_of_view_mm = (160, 160, 5)
    >>> plan = whorl.Scan(whorl.trajectory.radial_trajectory(20, 32), (16, 16), geometry=where)
    >>> scan = whorl.phantom.phantom_scan(whorl.phantom.shepp_logan(), plan, coils=4, noise=0.001, noise_samples=500)""",
}


def explain_module(names, examples):
    """Does so for all functions among the names of a module, and adds the examples to docstrings. Returns what is public.

    examples: the name of a function, class or method (Scan.replace) in a line, and below it, indented, what doctest runs; a line
        of _STARTS stands for its lines
    """
    for start, lines in _STARTS.items():
        examples = examples.replace(f"    {start}\n", f"{lines}\n")
    public = sorted(name for name, thing in names.items() if not name.startswith("_") and not is_module(thing))
    for name in public:
        if _is_raw(names[name]):
            raw, names[name] = names[name], explained(names[name], f"{names['__name__']}.{name}", names["__name__"])
            for home in (_core, _core.filters):  # for the other modules of the package
                if vars(home).get(name) is raw:
                    setattr(home, name, names[name])
        elif isinstance(names[name], types.FunctionType):
            names[name] = checked(names[name], f"{names['__name__']}.{name}")
    for name, _, example in (block.partition("\n") for block in re.split(r"\n(?=\w)", examples.strip()) if block):
        first, *rest = name.split(".")
        thing = functools.reduce(getattr, rest, names[first])
        text, options, listed = (thing.__doc__ or "").partition("\nOptions:\n")
        thing.__doc__ = f"{text.rstrip()}\n\nExample\n\n{textwrap.dedent(example).rstrip()}\n{options}{listed}"
    return public
