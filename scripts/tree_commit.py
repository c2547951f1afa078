"""The commit that a script of this repository runs at."""

import pathlib
import subprocess


def commit_of_tree():
    """Its short name, with a + where the tree has other files; "unknown" without git."""
    def git(*words):
        command = ["git", "-C", pathlib.Path(__file__).resolve().parent, *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        return git("rev-parse", "--short=8", "HEAD") + ("+" if git("status", "--porcelain") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
