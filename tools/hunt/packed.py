"""Binary and packed files of a matrix, written by the standard library alone: NumPy's arrays, SciPy's sparse ones, archives."""

import bz2
import io
import lzma
import struct
import tarfile
import zipfile

from matrices import market, sms, zipped


def array(descr, shape, data):
    """A file of NumPy's, version 1."""
    head = repr({"descr": descr, "fortran_order": False, "shape": tuple(shape)})
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data


def words(numbers, form="q"):
    numbers = list(numbers)
    return struct.pack(f"<{len(numbers)}{form}", *numbers)


def npy(matrix):
    return array("<i8", (matrix.rows, matrix.cols), words(v for line in matrix.full() for v in line))


def npz(matrix):
    """Coordinates, with explicit zeros and repeated positions."""
    entries = matrix.entries
    members = {
        "row": array("<i4", [len(entries)], words((i for i, _, _ in entries), "i")),
        "col": array("<i4", [len(entries)], words((j for _, j, _ in entries), "i")),
        "format": array("|S3", [], b"coo"),
        "shape": array("<i8", [2], words([matrix.rows, matrix.cols])),
        "data": array("<i8", [len(entries)], words(v for _, _, v in entries)),
    }
    return archive({f"{name}.npy": data for name, data in members.items()})


def archive(members):
    """A zip archive, the same bytes for the same members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def tar(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as file:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            file.addfile(info, io.BytesIO(data))
    return out.getvalue()


def collection(matrix):
    """The layout of the SuiteSparse Matrix Collection."""
    return {"a/a_b.mtx": b"%%MatrixMarket matrix array real general\n1 1\n1\n", "a/a.mtx": market(matrix)}


WRITERS = {
    "npy": npy,
    "npz": npz,
    "mtx.xz": lambda a: lzma.compress(market(a)),
    "sms.bz2": lambda a: bz2.compress(sms(a)),
    "zip": lambda a: archive({"a.sms": sms(a), "a.txt": b"no matrix"}),
    "tar": lambda a: tar(collection(a)),
    "tar.gz": lambda a: zipped(tar(collection(a))),
    "tar.xz": lambda a: lzma.compress(tar({"a.npz": npz(a)})),
}


def fits(matrix):
    """Whether every value, and every sum at a position, is one of 64 bits."""
    full = (v for line in matrix.lines() for v in line.values())
    return all(-(2**63) <= v < 2**63 for _, _, v in matrix.entries) and all(-(2**63) <= v < 2**63 for v in full)
