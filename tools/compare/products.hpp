// The block products of the rival: X ← M₂·(M₁·X) for s vectors at once, one class for each way that LinBox offers.
//
//   csr-…   LinBox::SparseMatrix<Field, CSR>::apply, one vector after another, over four fields
//   seq-…   LinBox::SparseMatrix<Field, SparseSeq>::apply (LinBox's default sparse container), the same way
//   triples LinBox::SparseMatrix<Field, TPL_omp>::applyLeft, LinBox's only product with a whole block
//   fflas   FFLAS::fspmm on FFLAS-FFPACK's CSR, the SIMD block product of the package underneath LinBox
//
// LinBox's products of single vectors run in parallel over the vectors of the block, as in PASCO 2007 and in the source
// paper's section 3.1; `fflas` in parallel over slices of rows. LinBox's rank does not use `fflas` by itself.
#pragma once

#include <memory>
#include <numeric>

#include <omp.h>

#include "matrix.hpp"

#include <fflas-ffpack/fflas/fflas.h>
#include <fflas-ffpack/fflas/fflas_sparse.h>
#include <givaro/modular-balanced.h>
#include <linbox/blackbox/transpose.h>
#include <linbox/matrix/dense-matrix.h>
#include <linbox/matrix/matrix-domain.h>
#include <linbox/matrix/sparse-matrix.h>
#include <linbox/ring/modular.h>
#include <linbox/vector/blas-vector.h>

// The fields besides DoubleField: 64-bit sums of 32-bit products, and two more that `products` lists.
using UnsignedField = Givaro::Modular<uint32_t, uint64_t>;
using SignedField = Givaro::Modular<int64_t>;
using BalancedField = Givaro::ModularBalanced<double>;

// Puts the entries into a LinBox sparse matrix of any container over any field.
template <class Matrix>
void fill(Matrix& M, const Triplets& t) {
    typename Matrix::Element e;
    for (const Entry& a : t.entries) {
        M.field().init(e, int64_t(a.value));
        if constexpr (std::is_same_v<Matrix, LinBox::SparseMatrix<typename Matrix::Field, LinBox::SparseMatrixFormat::CSR>>)
            M.appendEntry(a.row, a.col, e);  // its setEntry moves the tail of the arrays for each new entry
        else
            M.setEntry(a.row, a.col, e);
    }
    M.finalize();
}

// An n × s block that is multiplied again and again; `values` lends it to the projection.
class BlockProduct {
public:
    virtual ~BlockProduct() = default;
    // X ← x, given row by row, residues 0 … p-1.
    virtual void load(const std::vector<double>& x) = 0;
    // X ← M₂·(M₁·X).
    virtual void step() = 0;
    // X as n × s row by row or, if `by_vectors`, as s × n (one vector after another); residues 0 … p-1.
    virtual const double* values() = 0;
    virtual bool by_vectors() const = 0;
};

// LinBox's products with one vector, s times.
template <class Field, class Storage>
class VectorProduct final : public BlockProduct {
    using Matrix = LinBox::SparseMatrix<Field, Storage>;
    using Vector = LinBox::BlasVector<Field>;

    const Field F;
    const size_t n, s;
    Matrix first, second;
    std::vector<Vector> x, middle;
    std::vector<double> lent;

public:
    VectorProduct(const Triplets& m1, const Triplets& m2, size_t block)
        : F(m1.modulus), n(m1.cols), s(block), first(F, m1.rows, m1.cols), second(F, m2.rows, m2.cols), lent(n * s) {
        fill(first, m1);
        fill(second, m2);
        for (size_t j = 0; j < s; ++j) {
            x.emplace_back(F, n);
            middle.emplace_back(F, m1.rows);
        }
    }

    void load(const std::vector<double>& values) override {
        for (size_t j = 0; j < s; ++j)
            for (size_t i = 0; i < n; ++i) F.init(x[j][i], int64_t(values[i * s + j]));
    }

    void step() override {
#pragma omp parallel for schedule(dynamic, 1)
        for (size_t j = 0; j < s; ++j) {
            first.apply(middle[j], x[j]);
            second.apply(x[j], middle[j]);
        }
    }

    const double* values() override {
        for (size_t j = 0; j < s; ++j)
            for (size_t i = 0; i < n; ++i) {
                const double v = double(x[j][i]);
                lent[j * n + i] = v < 0 ? v + double(F.characteristic()) : v;
            }
        return lent.data();
    }
    bool by_vectors() const override { return true; }
};

// LinBox's product with a block, on triples sorted into cache-sized blocks.
class TriplesProduct final : public BlockProduct {
    using Matrix = LinBox::SparseMatrix<DoubleField, LinBox::SparseMatrixFormat::TPL_omp>;

    const DoubleField F;
    Matrix first, second;
    LinBox::BlasMatrix<DoubleField> x, middle;

public:
    TriplesProduct(const Triplets& m1, const Triplets& m2, size_t s)
        : F(m1.modulus), first(F, m1.rows, m1.cols), second(F, m2.rows, m2.cols), x(F, m1.cols, s), middle(F, m1.rows, s) {
        fill(first, m1);
        fill(second, m2);
    }

    void load(const std::vector<double>& values) override { std::copy(values.begin(), values.end(), x.getPointer()); }
    void step() override {
        first.applyLeft(middle, x);
        second.applyLeft(x, middle);
    }
    const double* values() override { return x.getPointer(); }
    bool by_vectors() const override { return false; }
};

// FFLAS-FFPACK's product with a block; each thread owns a slice of the rows.
class FflasProduct final : public BlockProduct {
    using Slice = FFLAS::Sparse<DoubleField, FFLAS::SparseMatrix_t::CSR>;
    struct Sliced {
        std::vector<Slice> slices;
        std::vector<size_t> start;  // first row of each slice
    };

    const DoubleField F;
    const size_t n, s;
    Sliced first, second;
    double *x, *middle;

    Sliced slice(const Triplets& t) const {
        Sliced out;
        const size_t parts = size_t(omp_get_max_threads());
        size_t k = 0;
        for (size_t part = 0, row = 0; part < parts && row < t.rows; ++part) {
            // Rows up to an equal share of the entries; the last slice takes what is left.
            const size_t goal = t.entries.size() * (part + 1) / parts, start = row;
            std::vector<uint64_t> is, js;
            std::vector<double> values;
            while (row < t.rows && (part + 1 == parts || k < goal || row == start)) {
                for (; k < t.entries.size() && t.entries[k].row == row; ++k) {
                    is.push_back(row - start);
                    js.push_back(t.entries[k].col);
                    values.push_back(double(t.entries[k].value));
                }
                ++row;
            }
            Slice m;
            FFLAS::sparse_init(F, m, is.data(), js.data(), values.data(), row - start, t.cols, values.size());
            out.slices.push_back(m);
            out.start.push_back(start);
        }
        return out;
    }

    void multiply(const Sliced& m, double* y, const double* in) const {
#pragma omp parallel for schedule(static, 1)
        for (size_t part = 0; part < m.slices.size(); ++part)
            FFLAS::fspmm(F, m.slices[part], s, in, int(s), F.zero, y + m.start[part] * s, int(s));
    }

public:
    FflasProduct(const Triplets& m1, const Triplets& m2, size_t block)
        : F(m1.modulus), n(m1.cols), s(block), first(slice(m1)), second(slice(m2)), x(FFLAS::fflas_new(F, n, s, Alignment::CACHE_LINE)),
          middle(FFLAS::fflas_new(F, m1.rows, s, Alignment::CACHE_LINE)) {}
    ~FflasProduct() override {
        for (Sliced* m : {&first, &second})
            for (Slice& part : m->slices) FFLAS::sparse_delete(part);
        FFLAS::fflas_delete(x);
        FFLAS::fflas_delete(middle);
    }

    void load(const std::vector<double>& values) override { std::copy(values.begin(), values.end(), x); }
    void step() override {
        multiply(first, middle, x);
        multiply(second, x, middle);
    }
    const double* values() override { return x; }
    bool by_vectors() const override { return false; }
};

// The names above; `auto` in the driver tries the LinBox ones.
inline const std::vector<std::string>& product_names() {
    static const std::vector<std::string> names = {"csr-double", "csr-balanced", "csr-uint32", "csr-int64",
                                                   "seq-double", "triples",      "fflas"};
    return names;
}

inline std::unique_ptr<BlockProduct> make_product(const std::string& name, const Triplets& m1, const Triplets& m2, size_t s) {
    using namespace LinBox::SparseMatrixFormat;
    if (name == "csr-double") return std::make_unique<VectorProduct<DoubleField, CSR>>(m1, m2, s);
    if (name == "csr-balanced") return std::make_unique<VectorProduct<BalancedField, CSR>>(m1, m2, s);
    if (name == "csr-uint32") return std::make_unique<VectorProduct<UnsignedField, CSR>>(m1, m2, s);
    if (name == "csr-int64") return std::make_unique<VectorProduct<SignedField, CSR>>(m1, m2, s);
    if (name == "seq-double") return std::make_unique<VectorProduct<DoubleField, SparseSeq>>(m1, m2, s);
    if (name == "triples") return std::make_unique<TriplesProduct>(m1, m2, s);
    if (name == "fflas") return std::make_unique<FflasProduct>(m1, m2, s);
    throw std::runtime_error("unknown product " + name);
}
