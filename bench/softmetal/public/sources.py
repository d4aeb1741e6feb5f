"""Fetches public shader libraries into target/public, by cargo, pip and npm. Nothing of theirs is kept here."""

import functools
import glob
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile

from harness import ROOT

FOLDER = os.path.join(ROOT, "target/public")


def _pip(*arguments):
    # Some packages want a build system before they tell their name.
    scripts = os.path.dirname(sys.executable)
    env = dict(os.environ, PATH=scripts + os.pathsep + os.environ["PATH"])
    subprocess.run([sys.executable, "-m", "pip", "-q", *arguments], check=True, env=env)


@functools.cache
def crate(name, version):
    """The folder of a crate's own files."""
    folder = os.path.join(FOLDER, f"{name}-{version}")
    if not os.path.isdir(folder):
        fetch = os.path.join(FOLDER, "fetch")
        os.makedirs(os.path.join(fetch, "src"), exist_ok=True)
        open(os.path.join(fetch, "src/lib.rs"), "w").close()
        with open(os.path.join(fetch, "Cargo.toml"), "w") as f:
            f.write('[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n')
            f.write(f'[workspace]\n[dependencies]\n{name} = "={version}"\n')
        subprocess.run(["cargo", "vendor", "--quiet"], cwd=fetch, check=True, stdout=subprocess.DEVNULL)
        os.rename(os.path.join(fetch, "vendor", name), folder)
        shutil.rmtree(fetch)
    return folder


def candle(name):
    return os.path.join(crate("candle-metal-kernels", "0.11.1"), "src/metal_src", name)


@functools.cache
def _ggml(version):
    folder = os.path.join(FOLDER, f"ggml-{version}")
    if not os.path.isdir(folder):
        _pip("install", "scikit-build-core", "cmake", "ninja")
        what = ["--no-deps", "--no-build-isolation", "--no-binary", ":all:", "-d", FOLDER]
        _pip("download", *what, f"llama-cpp-python=={version}")
        with tarfile.open(glob.glob(os.path.join(FOLDER, f"llama_cpp_python-{version}.tar.gz"))[0]) as t:
            wanted = [m for m in t.getmembers() if "/ggml/src/ggml-metal/" in m.name or m.name.endswith("ggml-common.h")]
            t.extractall(folder, wanted)
    return glob.glob(os.path.join(folder, "*/vendor/llama.cpp/ggml/src"))[0]


def ggml(version="0.3.9"):
    """The folder ggml/src of a release of llama-cpp-python."""
    return _ggml(version)


@functools.cache
def npm(name, version):
    """The folder of a package of npm."""
    folder = os.path.join(FOLDER, f"{name}-{version}")
    if not os.path.isdir(folder):
        os.makedirs(FOLDER, exist_ok=True)
        subprocess.run(["npm", "pack", "--silent", f"{name}@{version}"], cwd=FOLDER, check=True, stdout=subprocess.DEVNULL)
        with tarfile.open(os.path.join(FOLDER, f"{name}-{version}.tgz")) as t:
            t.extractall(folder, [m for m in t.getmembers() if m.name.endswith((".metal", ".h"))])
    return os.path.join(folder, "package")


@functools.cache
def mlx():
    """The include folder of MLX's wheel for macOS."""
    folder = os.path.join(FOLDER, "mlx")
    if not os.path.isdir(folder):
        what = ["--no-deps", "--only-binary=:all:", "--platform", "macosx_14_0_arm64", "-d", FOLDER]
        _pip("download", *what, "mlx-metal==0.32.4")
        with zipfile.ZipFile(glob.glob(os.path.join(FOLDER, "mlx_metal-0.32.4*.whl"))[0]) as z:
            z.extractall(folder, [n for n in z.namelist() if n.endswith(".h")])
    return os.path.join(folder, "mlx/include")
