"""BART 1.0 as a program: its library from PyPI's bartorch, without PyTorch.

    python bart1.py pics -R T:3:0:0.01 -t trajectory data maps image
"""

import ctypes
import importlib.util
import os
import pathlib
import sys


def main():
    package = importlib.util.find_spec("bartorch")
    if package is None:
        sys.exit("bart1: the package bartorch is not there; start by bench/peers/run")
    bart = ctypes.CDLL(str(pathlib.Path(package.submodule_search_locations[0]) / "libbartorch.so"))
    bart.bartorch_set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    # Its tools use FINUFFT where that fits, and BART's own gridding elsewhere.
    bart.bartorch_nufft_allow_fallback(1)
    bart.bartorch_finufft_use_in_tools(1)
    arguments = [word.encode() for word in sys.argv[1:]]
    words = (ctypes.c_char_p * (len(arguments) + 1))(*arguments, None)
    out, err = (ctypes.create_string_buffer(1 << 16) for _ in range(2))
    bart.bartorch_command.argtypes = [ctypes.c_int, ctypes.POINTER(ctypes.c_char_p), ctypes.c_char_p, ctypes.c_size_t,
                                      ctypes.c_char_p, ctypes.c_size_t]
    code = bart.bartorch_command(len(arguments), words, out, len(out), err, len(err))
    sys.stdout.write(out.value.decode())
    sys.stderr.write(err.value.decode())
    sys.exit(code)


if __name__ == "__main__":
    main()
