"""Makes the stubs of the extension module, as it is before the package puts functions of Python in the place of its own.

    make_stubs.py STUBGEN FOLDER OPTION...    nanobind's stubgen.py, the folder of the package, and stubgen's options
"""

import runpy
import sys
import types

stubgen, folder, *options = sys.argv[1:]
package = types.ModuleType("whorl")
package.__path__ = [folder]
sys.modules["whorl"] = package
sys.argv = [stubgen, *options]
runpy.run_path(stubgen, run_name="__main__")
