#!/usr/bin/env python3
"""Gives the static libraries of a test the objects of a build that has them already; compiles what differs.

    reuse_object.py BUILD COMPILER ARGUMENT...

CMake calls it in front of the compiler, in the folder of a build of the same sources. An object is copied from BUILD where its
source there is the same: one file, or a group with the same text.
"""

import os
import pathlib
import shutil
import sys


def word_after(words, option):
    return words[words.index(option) + 1] if option in words else None


def same_source(build, source):
    """The source is no file of this build, or BUILD has one with the same text."""
    if not source.is_relative_to(pathlib.Path.cwd()):
        return True
    there = build / source.relative_to(pathlib.Path.cwd())
    return there.exists() and there.read_bytes() == source.read_bytes()


def main(build, *command):
    target, source = word_after(command, "-o"), word_after(command, "-c")
    if target and source and target.endswith(".o"):
        there = pathlib.Path(build) / target
        if there.exists() and same_source(pathlib.Path(build), pathlib.Path(source)):
            shutil.copyfile(there, target)
            if listing := word_after(command, "-MF"):
                pathlib.Path(listing).write_text(f"{target}: {source}\n")
            return
    os.execvp(command[0], command)


main(*sys.argv[1:])
