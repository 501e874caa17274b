#!/usr/bin/env python3
"""Makes the files of this folder anew, each by its own tool, and MANIFEST.tsv.

    python3 -m venv v && v/bin/pip install numpy scipy h5py hdf5storage && v/bin/python datasets/formats/arrays/make.py [FOLDER]

also needs tar, gzip, xz, bzip2, zstd and zip. The files were made with NumPy 2.4.6, SciPy 1.17.1, h5py 3.16.0 and hdf5storage 0.2.2; other versions may
write other bytes for the same matrices.
"""

import os
import subprocess
import sys

import h5py
import hdf5storage
import numpy as np
import scipy.io
import scipy.sparse as sparse

SMALL = np.zeros((7, 5), dtype=np.int64)
for i, j, v in [(0, 1, 3), (0, 4, -2), (1, 0, 1), (2, 2, 100), (2, 3, -128), (4, 0, 127), (4, 1, 1), (5, 1, 6), (5, 4, -4)]:
    SMALL[i, j] = v
BITS = (np.arange(48).reshape(6, 8) ** 2 % 7 < 3).astype(np.int64)
WIDE = np.array([[2**64 - 1, 0, 2**63], [0, 2**53 + 1, 0], [1, 0, 7]], dtype=np.uint64)
COLUMN = np.array([[4], [0], [-5], [6]], dtype=np.int64)
BLOCKS = np.kron(np.array([[1, 0, 2], [0, 0, -1]]), np.array([[1, 2], [3, 4], [0, 5]]))
TWINS = {"small": SMALL, "bits": BITS, "wide": WIDE, "column": COLUMN, "blocks": BLOCKS}

LINES = []


def note(file, twin, tool, select="", pattern=False):
    """A line of the manifest."""
    LINES.append("\t".join([file + ("::" + select if select else ""), twin, "pattern" if pattern else "exact", tool]))


def run(*command, out=None):
    """Runs a command; its standard output goes to the file `out`."""
    env = dict(os.environ, LC_ALL="C", TZ="UTC")
    with open(out or os.devnull, "wb") as target:
        subprocess.run(command, check=True, stdout=target, env=env)


def write_twins():
    """The matrices in SMS."""
    for name, a in TWINS.items():
        with open(f"{name}.sms", "w", encoding="ascii") as file:
            print(*a.shape, "M", file=file)
            for i, j in zip(*np.nonzero(a)):
                print(i + 1, j + 1, int(a[i, j]), file=file)
            print("0 0 0", file=file)


def write_numpy():
    """Dense arrays."""
    for descr in ["<i1", "<i2", ">i4", "<i8", ">i8", "<f4", ">f8", "<f8"]:
        name = f"small-{'be' if descr[0] == '>' else 'le'}-{descr[1:]}.npy"
        np.save(name, SMALL.astype(descr))
        note(name, "small", "numpy.save")
    np.save("small-f2-fortran.npy", np.asfortranarray(SMALL.astype("<f2")))
    note("small-f2-fortran.npy", "small", "numpy.save, Fortran order")
    for descr in ["?", "u1", "<u2", ">u4", "f2"]:
        name = f"bits-{np.dtype(descr).name}.npy"
        np.save(name, BITS.astype(descr))
        note(name, "bits", "numpy.save")
    np.save("bits-complex128.npy", BITS * (2 - 3j))
    note("bits-complex128.npy", "bits", "numpy.save, complex", pattern=True)
    np.save("wide-uint64.npy", WIDE)
    note("wide-uint64.npy", "wide", "numpy.save")
    np.save("column.npy", COLUMN[:, 0])
    note("column.npy", "column", "numpy.save, one dimension")
    with open("small-version-2.npy", "wb") as file:
        np.lib.format.write_array(file, SMALL, version=(2, 0))
    note("small-version-2.npy", "small", "numpy.lib.format.write_array, version 2.0")
    np.savez("small-one.npz", SMALL)
    note("small-one.npz", "small", "numpy.savez")
    np.savez_compressed("two.npz", first=SMALL, second=np.asfortranarray(BITS))
    note("two.npz", "small", "numpy.savez_compressed", select="first")
    note("two.npz", "bits", "numpy.savez_compressed", select="second")


def write_scipy():
    """Sparse matrices."""
    for kind in ["csr", "csc", "coo", "dia"]:
        name = f"small-{kind}.npz"
        sparse.save_npz(name, getattr(sparse, f"{kind}_array")(SMALL))
        note(name, "small", "scipy.sparse.save_npz")
    sparse.save_npz("blocks-bsr.npz", sparse.bsr_array(BLOCKS, blocksize=(3, 2)))
    note("blocks-bsr.npz", "blocks", "scipy.sparse.save_npz")
    wide = sparse.csr_matrix(WIDE)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    sparse.save_npz("wide-csr-index-int64.npz", wide, compressed=False)
    note("wide-csr-index-int64.npz", "wide", "scipy.sparse.save_npz, indices of 64 bits, stored")
    twice = sparse.coo_matrix(([3, 4, 1, 1], ([0, 0, 1, 1], [1, 1, 1, 1])), shape=(2, 3), dtype=np.int32)
    sparse.save_npz("twice-coo.npz", twice)
    TWINS["twice"] = twice.toarray()
    note("twice-coo.npz", "twice", "scipy.sparse.save_npz, entries at one position")
    sparse.save_npz("bits-csc-bool.npz", sparse.csc_matrix(BITS.astype(bool)))
    note("bits-csc-bool.npz", "bits", "scipy.sparse.save_npz, booleans")


def write_matlab():
    """Version 5, as it is and compressed."""
    for packed in [False, True]:
        ending = "-packed" if packed else ""
        tool = "scipy.io.savemat" + (", compressed" if packed else "")
        for name, a in {
            "small-sparse": sparse.csc_matrix(SMALL.astype(float)),
            "small-double": SMALL.astype(float),
            "small-int8": SMALL.astype(np.int8),
            "small-int64": SMALL,
        }.items():
            scipy.io.savemat(f"{name}{ending}.mat", {"A": a}, do_compression=packed)
            note(f"{name}{ending}.mat", "small", tool)
    scipy.io.savemat("bits-logical.mat", {"mask": BITS.astype(bool)})
    note("bits-logical.mat", "bits", "scipy.io.savemat, logical")
    scipy.io.savemat("bits-sparse-complex.mat", {"z": sparse.csc_matrix(BITS * 1j)})
    note("bits-sparse-complex.mat", "bits", "scipy.io.savemat, complex", pattern=True)
    scipy.io.savemat("wide-uint64.mat", {"w": WIDE})
    note("wide-uint64.mat", "wide", "scipy.io.savemat")
    several = {"S": sparse.csc_matrix(SMALL), "B": BITS.astype(np.uint8), "title": "a string", "cells": np.array([[1], ["x"]], object)}
    scipy.io.savemat("several.mat", several, do_compression=True)
    note("several.mat", "small", "scipy.io.savemat", select="S")
    note("several.mat", "bits", "scipy.io.savemat", select="B")
    problem = {"name": "Group/small", "A": sparse.csc_matrix(SMALL), "b": COLUMN, "aux": {"Q": BITS}}
    scipy.io.savemat("problem.mat", {"Problem": problem})
    note("problem.mat", "small", "scipy.io.savemat, a structure as in the SuiteSparse Matrix Collection")
    note("problem.mat", "bits", "scipy.io.savemat", select="Problem.aux.Q")


def write_matlab_hdf5():
    """Version 7.3. MATLAB's own layout of sparse matrices is written by h5py, since only MATLAB writes such files itself."""
    hdf5storage.writes({"A": SMALL.astype(float)}, filename="small-double-7.3.mat", matlab_compatible=True)
    note("small-double-7.3.mat", "small", "hdf5storage")
    many = {"w": WIDE, "mask": BITS.astype(bool), "z": BITS * (2 - 3j), "title": "a string", "s": {"column": COLUMN.astype(np.int8)}}
    hdf5storage.writes(many, filename="several-7.3.mat", matlab_compatible=True)
    for name, twin in [("w", "wide"), ("mask", "bits"), ("z", "bits"), ("s.column", "column")]:
        note("several-7.3.mat", twin, "hdf5storage", select=name, pattern=name == "z")
    with h5py.File("problem-7.3.mat", "w", userblock_size=512) as file:
        problem = file.create_group("Problem")
        problem.attrs["MATLAB_class"] = np.bytes_("struct")
        for name, a in [("A", SMALL.astype(float)), ("Zeros", BITS.astype(float))]:
            group, a = problem.create_group(name), sparse.csc_matrix(a)
            group.attrs["MATLAB_class"] = np.bytes_("double")
            group.attrs["MATLAB_sparse"] = np.uint64(a.shape[0])
            group.create_dataset("jc", data=a.indptr.astype(np.uint64), compression="gzip", chunks=(4,))
            group.create_dataset("ir", data=a.indices.astype(np.uint64), compression="gzip", chunks=(4,))
            group.create_dataset("data", data=a.data, compression="gzip", chunks=(4,), shuffle=True)
    with open("problem-7.3.mat", "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64, as MATLAB writes it".ljust(124) + b"\0\2IM")
    note("problem-7.3.mat", "small", "h5py, a structure as in the SuiteSparse Matrix Collection")
    note("problem-7.3.mat", "bits", "h5py", select="Problem.Zeros")


def write_harwell_boeing():
    """With fields as wide as SciPy writes them."""
    for name, a, twin in [("small-real", SMALL.astype(float), "small"), ("small-integer", SMALL, "small")]:
        scipy.io.hb_write(f"{name}.hb", sparse.csc_matrix(a))
        note(f"{name}.hb", twin, "scipy.io.hb_write")
    # More entries than fields of seven digits number: (10I8) and (3E25.16), as in matrices of real size.
    with open("small-real.hb", encoding="ascii") as file:
        assert "(3E25.16)" in file.read()


def write_archives():
    """Layouts and compressions."""
    os.makedirs("small", exist_ok=True)
    scipy.io.mmwrite("small/small.mtx", sparse.coo_matrix(SMALL), comment="the matrix")
    scipy.io.mmwrite("small/small_b.mtx", COLUMN, comment="a right side")
    with open("small/README.txt", "w", encoding="ascii") as file:
        file.write("Not a matrix.\n")
    members = ["small/small_b.mtx", "small/small.mtx", "small/README.txt"]
    tar = ["tar", "--sort=name", "--mtime=2026-01-01", "--owner=0", "--group=0", "--numeric-owner"]
    run(*tar, "--format=gnu", "-cf", "small.tar", *members)
    note("small.tar", "small", "GNU tar")
    note("small.tar", "column", "GNU tar", select="small/small_b.mtx")
    run(*tar, "--format=ustar", "-c", "-f", "small-ustar.tar", "small")
    run("gzip", "-n9", "-k", "-f", "-S", ".gz", "small-ustar.tar")
    os.rename("small-ustar.tar.gz", "small-ustar.tgz")
    os.remove("small-ustar.tar")
    note("small-ustar.tgz", "small", "GNU tar, ustar; gzip")
    long = "a-folder-with-a-name-of-more-than-one-hundred-characters-" + "x" * 80
    os.makedirs(f"{long}", exist_ok=True)
    os.rename("small/small.mtx", f"{long}/{long}.mtx")
    for kind in ["gnu", "pax", "posix"]:
        run(*tar, f"--format={kind}", "-cf", f"long-{kind}.tar", long)
        run("xz", "-9", "-f", f"long-{kind}.tar")
        note(f"long-{kind}.tar.xz", "small", f"GNU tar, {kind}, a long name; xz")
    os.rename(f"{long}/{long}.mtx", "small/small.mtx")
    os.rmdir(long)
    for tool, ending in [("gzip", "gz"), ("xz", "xz"), ("bzip2", "bz2"), ("zstd", "zst")]:
        run(tool, "-c", "small/small.mtx", out=f"small.mtx.{ending}")
        note(f"small.mtx.{ending}", "small", tool)
        run(tool, "-c", "small.tar", out=f"small.tar.{ending}")
        note(f"small.tar.{ending}", "small", f"GNU tar; {tool}")
    run("zip", "-X", "-q", "-r", "small.zip", "small")
    note("small.zip", "small", "zip")
    run("zip", "-X", "-q", "-0", "nested.zip", "small.mtx.xz")
    note("nested.zip", "small", "xz; zip, stored")
    run("zip", "-X", "-q", "-Z", "bzip2", "small-bzip2.zip", "small/small.mtx")
    note("small-bzip2.zip", "small", "zip, bzip2")
    run(*tar, "-cf", "arrays.tar", "small-csr.npz", "problem.mat", "small-le-i8.npy")
    run("zstd", "-q", "--rm", "-f", "arrays.tar")
    note("arrays.tar.zst", "small", "GNU tar; zstd", select="small-csr.npz")
    note("arrays.tar.zst", "bits", "GNU tar; zstd", select="problem.mat::Problem.aux.Q")
    for file in os.listdir("small"):
        os.remove(f"small/{file}")
    os.rmdir("small")


def main():
    """Writes everything."""
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__)))
    for file in os.listdir():
        if file not in ("README.md", "make.py"):
            os.remove(file)
    write_numpy()
    write_scipy()
    write_matlab()
    write_matlab_hdf5()
    write_harwell_boeing()
    write_archives()
    write_twins()
    with open("MANIFEST.tsv", "w", encoding="ascii") as file:
        file.write("# file\ttwin\tread\ttool\n" + "\n".join(LINES) + "\n")


if __name__ == "__main__":
    main()
