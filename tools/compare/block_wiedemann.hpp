// Rank by block Wiedemann on LinBox's parts (source paper, section 3).
//
//   B = D₁·Aᵀ·D₂·A·D₁ through the smaller side, D₁, D₂ random diagonal, folded into the values of one factor;
//   S_i = Yᵀ·Bⁱ·X, i < 2⌈n/s⌉ + 2, X, Y random n × s;
//   (F R) · (S; -I) = O(x^order) by LinBox's PM-Basis, shift (0, 1): the s rows of least shifted degree δ give the generator
//   G(x) with rows x^δ·F(1/x), and deg det G = Σ δ;
//   rank = deg det G - codeg det G.
#pragma once

#include "codegree.hpp"
#include "products.hpp"

#include <linbox/algorithms/polynomial-matrix/order-basis.h>
#include <linbox/matrix/polynomial-matrix.h>

struct Phases {
    Clock sequence, sigma_basis, codegree;
    size_t rank;
};

// The two factors A and D₁²·Aᵀ·D₂ of D₁·B·D₁⁻¹, which is similar to B: scaling costs nothing, and the factor with more rows keeps
// the small values of A, whose sums LinBox's floating-point fields reduce faster (bibd_81_3: a third of the time of two scaled ones).
inline std::pair<Triplets, Triplets> preconditioned(const Triplets& matrix, std::mt19937_64& rng) {
    const Triplets a = matrix.cols <= matrix.rows ? matrix : matrix.transposed();
    std::vector<uint32_t> d1 = random_units(a.cols, a.modulus, rng);
    for (uint32_t& d : d1) d = uint32_t(uint64_t(d) * d % a.modulus);
    return {a, a.transposed().scaled(d1, random_units(a.rows, a.modulus, rng))};
}

inline std::vector<double> random_block(size_t n, size_t s, uint32_t modulus, std::mt19937_64& rng) {
    std::uniform_int_distribution<uint32_t> residue(0, modulus - 1);
    std::vector<double> x(n * s);
    for (double& v : x) v = double(residue(rng));
    return x;
}

// S_0, S_1, …, each s × s row by row.
inline std::vector<double> sequence(BlockProduct& product, size_t n, size_t s, size_t terms, const DoubleField& F, std::mt19937_64& rng) {
    const std::vector<double> y = random_block(n, s, uint32_t(F.characteristic()), rng);
    product.load(random_block(n, s, uint32_t(F.characteristic()), rng));
    std::vector<double> out(terms * s * s);
    for (size_t k = 0; k < terms; ++k) {
        if (k) product.step();
        const bool vectors = product.by_vectors();
        FFLAS::fgemm(F, FFLAS::FflasTrans, vectors ? FFLAS::FflasTrans : FFLAS::FflasNoTrans, s, s, n, F.one, y.data(), s,
                     product.values(), vectors ? n : s, F.zero, &out[k * s * s], s);
    }
    return out;
}

// The generator of the sequence and the degree of its determinant.
inline std::pair<PolyMatrix, size_t> generator(const DoubleField& F, const std::vector<double>& terms, size_t s) {
    using Basis = LinBox::OrderBasis<DoubleField>;
    const size_t order = terms.size() / (s * s), m = 2 * s;
    Basis::MatrixP sigma(F, m, m, order + 1), series(F, m, s, order);
    for (size_t k = 0; k < order; ++k)
        for (size_t i = 0; i < s; ++i)
            for (size_t j = 0; j < s; ++j) series.ref(i, j, k) = terms[(k * s + i) * s + j];
    for (size_t i = 0; i < s; ++i) series.ref(s + i, i, 0) = F.mOne;
    std::vector<size_t> shift(m, 0);
    std::fill(shift.begin() + ptrdiff_t(s), shift.end(), 1);
    Basis basis(F);
    basis.PM_Basis(sigma, series, order, shift);

    std::vector<size_t> row(m);
    std::iota(row.begin(), row.end(), 0);
    std::stable_sort(row.begin(), row.end(), [&](size_t a, size_t b) { return shift[a] < shift[b]; });
    PolyMatrix G;
    G.s = s;
    size_t degree = 0;
    for (size_t i = 0; i < s; ++i) {
        degree += shift[row[i]];
        G.terms = std::max(G.terms, shift[row[i]] + 1);
    }
    G.coefficients.assign(G.terms * s * s, 0);
    for (size_t i = 0; i < s; ++i)
        for (size_t k = 0; k <= shift[row[i]] && k < sigma.size(); ++k)
            for (size_t j = 0; j < s; ++j) G.coefficients[((shift[row[i]] - k) * s + i) * s + j] = sigma.get(row[i], j, k);
    return {std::move(G), degree};
}

inline Phases block_wiedemann(const Triplets& m1, const Triplets& m2, const std::string& product, size_t s, bool horner, std::mt19937_64& rng) {
    const DoubleField F(m1.modulus);
    const size_t n = m1.cols;
    const auto engine = make_product(product, m1, m2, s);
    Phases out;
    Clock start = Clock::now();
    const std::vector<double> terms = sequence(*engine, n, s, 2 * ((n + s - 1) / s) + 2, F, rng);
    out.sequence = start.since();

    start = Clock::now();
    const auto [G, degree] = generator(F, terms, s);
    out.sigma_basis = start.since();

    start = Clock::now();
    out.rank = degree - (horner ? codegree_horner(F, G, degree) : codegree_gemm(F, G, degree));
    out.codegree = start.since();
    return out;
}
