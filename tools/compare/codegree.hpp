// Degree of the lowest term of det G(x), for an s × s polynomial matrix G with a known bound on deg det G.
//
// Source paper, section 3.3: evaluate G at points, take dense determinants there, interpolate. Two ways:
//   gemm   all points at once as one product (Vandermonde) × (coefficients) by FFLAS::fgemm; the points form a subgroup of
//          GF(p)*, so that coefficient k of the determinant is one sum over the points, and the sums stop at the first that
//          is not zero. The fastest that we could make of FFLAS-FFPACK.
//   horner Horner's rule entry by entry at the points 1, 2, …, and Givaro's Poly1CRT for the interpolation, as the paper
//          describes it.
#pragma once

#include <givaro/givpoly1crt.h>

#include "matrix.hpp"

#include <fflas-ffpack/ffpack/ffpack.h>

// Coefficient k of G at [k·s² … (k+1)·s²), row by row.
struct PolyMatrix {
    size_t s = 0, terms = 0;
    std::vector<double> coefficients;
};

// Smallest N > degree that divides p - 1, and an element of that order.
inline std::pair<uint64_t, uint64_t> subgroup(uint64_t p, size_t degree) {
    const auto power = [p](uint64_t base, uint64_t e) {
        unsigned __int128 r = 1, b = base;
        for (; e; e >>= 1, b = b * b % p)
            if (e & 1) r = r * b % p;
        return uint64_t(r);
    };
    for (uint64_t order = degree + 1; order < p; ++order) {
        if ((p - 1) % order) continue;
        for (uint64_t g = 2; g < p; ++g) {
            const uint64_t w = power(g, (p - 1) / order);
            bool primitive = true;
            for (uint64_t q = 2, rest = order; rest > 1; ++q)
                if (rest % q == 0) {
                    primitive = primitive && power(w, order / q) != 1;
                    while (rest % q == 0) rest /= q;
                }
            if (primitive) return {order, w};
        }
    }
    throw std::runtime_error("too few points: the degree of the determinant reaches p - 1");
}

inline double determinant(const DoubleField& F, size_t s, double* m) {
    double d;
    return FFPACK::Det(F, d, s, m, s);
}

inline size_t codegree_gemm(const DoubleField& F, const PolyMatrix& G, size_t degree) {
    const uint64_t p = uint64_t(F.characteristic());
    const auto [points, w] = subgroup(p, degree);
    std::vector<double> power(points), det(points);
    uint64_t x = 1;
    for (size_t i = 0; i < points; ++i, x = x * w % p) power[i] = double(x);

    const size_t ss = G.s * G.s, slab = 512;  // 512 points: the values of a 16 × 16 matrix fill 1 MB
#pragma omp parallel
    {
        std::vector<double> vandermonde(slab * G.terms), values(slab * ss);
#pragma omp for schedule(dynamic, 1)
        for (size_t start = 0; start < points; start += slab) {
            const size_t rows = std::min(slab, points - start);
            for (size_t i = 0; i < rows; ++i)
                for (size_t k = 0, e = 0; k < G.terms; ++k, e = (e + start + i) % points) vandermonde[i * G.terms + k] = power[e];
            FFLAS::fgemm(F, FFLAS::FflasNoTrans, FFLAS::FflasNoTrans, rows, ss, G.terms, F.one, vandermonde.data(), G.terms,
                         G.coefficients.data(), ss, F.zero, values.data(), ss);
            for (size_t i = 0; i < rows; ++i) det[start + i] = determinant(F, G.s, &values[i * ss]);
        }
    }
    for (size_t k = 0; k <= degree; ++k) {
        // N·c_k = Σ_i det(wⁱ)·w^(-ik); terms below p² ≤ 2³², so that the sum of at most 2³² of them fits 64 bits.
        uint64_t sum = 0;
        for (size_t i = 0, e = 0; i < points; ++i, e = (e + points - k % points) % points) sum += uint64_t(det[i]) * uint64_t(power[e]);
        if (sum % p) return k;
    }
    throw std::runtime_error("the determinant of the generator vanishes");
}

inline size_t codegree_horner(const DoubleField& F, const PolyMatrix& G, size_t degree) {
    const uint64_t p = uint64_t(F.characteristic());
    const size_t points = degree + 1, ss = G.s * G.s;
    if (points >= p) throw std::runtime_error("too few points: the degree of the determinant reaches p - 1");
    std::vector<double> at(points), det(points);
#pragma omp parallel
    {
        std::vector<double> value(ss);
#pragma omp for schedule(dynamic, 16)
        for (size_t i = 0; i < points; ++i) {
            F.init(at[i], uint64_t(i + 1));
            for (size_t e = 0; e < ss; ++e) {
                double v = G.coefficients[(G.terms - 1) * ss + e];
                for (size_t k = G.terms - 1; k-- > 0;) {
                    F.mulin(v, at[i]);
                    F.addin(v, G.coefficients[k * ss + e]);
                }
                value[e] = v;
            }
            det[i] = determinant(F, G.s, value.data());
        }
    }
    Givaro::Poly1CRT<DoubleField> crt(F, at, "x");
    Givaro::Poly1CRT<DoubleField>::Element poly;
    crt.RnsToRing(poly, det);
    for (size_t k = 0; k < poly.size(); ++k)
        if (!F.isZero(poly[k])) return k;
    throw std::runtime_error("the determinant of the generator vanishes");
}
