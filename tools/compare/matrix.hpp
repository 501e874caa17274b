// The input of the driver: one matrix mod p as sorted triplets, read through LinBox's own MatrixStream, and the clocks.
//
// Every LinBox container below is filled from the same triplets, so that containers and fields are compared on equal terms
// and the time to read the file is measured apart from the time to compute.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/time.h>

#include <linbox/linbox-config.h>

// The distribution built LinBox with NTL, and its headers then ask for NTL's. Nothing here uses that part.
#undef __LINBOX_HAVE_NTL

#include <givaro/modular.h>
#include <linbox/util/matrix-stream.h>

// The field of everything that is not a sparse product: terms of the sequence, σ-basis, determinants.
using DoubleField = Givaro::Modular<double>;

// CPU seconds (user + system, all threads of this process) and wall seconds.
struct Clock {
    double cpu, wall;

    static Clock now() {
        rusage u;
        getrusage(RUSAGE_SELF, &u);
        timeval t;
        gettimeofday(&t, nullptr);
        return {double(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * double(u.ru_utime.tv_usec + u.ru_stime.tv_usec),
                double(t.tv_sec) + 1e-6 * double(t.tv_usec)};
    }
    Clock since() const {
        const Clock t = now();
        return {t.cpu - cpu, t.wall - wall};
    }
};

struct Entry {
    uint32_t row, col;
    uint32_t value;  // in 1 … p-1
};

// Sparse matrix mod p, entries sorted by (row, col), no duplicates, no zeros.
struct Triplets {
    size_t rows = 0, cols = 0;
    uint32_t modulus = 0;
    std::vector<Entry> entries;

    // Sorts, adds up duplicates mod p and drops zeros.
    void normalise() {
        std::sort(entries.begin(), entries.end(),
                  [](const Entry& a, const Entry& b) { return std::pair(a.row, a.col) < std::pair(b.row, b.col); });
        size_t kept = 0;
        for (size_t k = 0; k < entries.size();) {
            Entry e = entries[k];
            uint64_t sum = 0;
            for (; k < entries.size() && entries[k].row == e.row && entries[k].col == e.col; ++k) sum += entries[k].value;
            e.value = uint32_t(sum % modulus);
            if (e.value != 0) entries[kept++] = e;
        }
        entries.resize(kept);
    }

    Triplets transposed() const {
        Triplets t{cols, rows, modulus, {}};
        t.entries.reserve(entries.size());
        for (const Entry& e : entries) t.entries.push_back({e.col, e.row, e.value});
        t.normalise();
        return t;
    }

    // diag(left) · this · diag(right).
    Triplets scaled(const std::vector<uint32_t>& left, const std::vector<uint32_t>& right) const {
        Triplets t = *this;
        for (Entry& e : t.entries) {
            const uint64_t v = uint64_t(e.value) * left[e.row] % modulus;
            e.value = uint32_t(v * right[e.col] % modulus);
        }
        return t;
    }
};

// Reads SMS or MatrixMarket (LinBox detects which) and reduces mod p.
inline Triplets read_matrix(const std::string& path, uint32_t modulus) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error("cannot open " + path);
    const DoubleField F(modulus);
    LinBox::MatrixStream<DoubleField> stream(F, in);
    Triplets t;
    t.modulus = modulus;
    if (!stream.getDimensions(t.rows, t.cols)) throw std::runtime_error(path + ": LinBox finds no dimensions");
    size_t i, j;
    double v;
    while (stream.nextTriple(i, j, v)) t.entries.push_back({uint32_t(i), uint32_t(j), uint32_t(v)});
    if (stream.getError() > LinBox::END_OF_MATRIX) throw std::runtime_error(path + ": LinBox cannot read it");
    t.normalise();
    return t;
}

// n uniform units mod p.
inline std::vector<uint32_t> random_units(size_t n, uint32_t modulus, std::mt19937_64& rng) {
    std::uniform_int_distribution<uint32_t> unit(1, modulus - 1);
    std::vector<uint32_t> d(n);
    for (uint32_t& x : d) x = unit(rng);
    return d;
}
