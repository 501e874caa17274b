// Answers beyond the rank by LinBox and FFLAS-FFPACK about a sparse matrix in an SMS file, beside blackfield's: one JSON document.
//
//   linbox_answers solve-elimination|solve-wiedemann|solve-dense FILE B P OUT   a solution mod P of a system with one right side
//   linbox_answers kernel-dense|kernel-elimination FILE P OUT                   null space mod P, one vector a column
//   linbox_answers minpoly|charpoly FILE P                                      mod P, a coefficient a line after the document
//   linbox_answers qsolve FILE B OUT                                            Dixon's lifting over the rationals
//   linbox_answers det|smith FILE                                               over the integers; the latter by the valence
// A singular system makes LinBox throw, or gives a wrong solution: the caller checks.

#include "matrix.hpp"

#include <cstdio>
#include <iostream>
#include <map>

#include <fflas-ffpack/ffpack/ffpack.h>
#include <givaro/zring.h>
#include <linbox/algorithms/gauss.h>
#include <linbox/algorithms/smith-form-valence.h>
#include <linbox/matrix/dense-matrix.h>
#include <linbox/matrix/sparse-matrix.h>
#include <linbox/polynomial/dense-polynomial.h>
#include <linbox/solutions/charpoly.h>
#include <linbox/solutions/det.h>
#include <linbox/solutions/minpoly.h>
#include <linbox/solutions/solve.h>

using namespace LinBox;
using Integers = Givaro::ZRing<Givaro::Integer>;
using Sparse = SparseMatrix<DoubleField, SparseMatrixFormat::SparseSeq>;
using Words = std::vector<std::string>;

static Sparse sparse(const DoubleField& F, const Triplets& t) {
    Sparse a(F, t.rows, t.cols);
    for (const Entry& e : t.entries) a.setEntry(e.row, e.col, double(e.value));
    return a;
}

static std::vector<double> array(const Triplets& t) {
    std::vector<double> a(t.rows * t.cols);
    for (const Entry& e : t.entries) a[e.row * t.cols + e.col] = double(e.value);
    return a;
}

// The entries that are not 0 of an array by rows with so many columns of which the first are written.
template <class Value>
static void write_columns(const std::string& name, size_t rows, size_t cols, const char* kind, const Value& value) {
    std::ofstream out(name);
    out << rows << ' ' << cols << ' ' << kind << '\n';
    for (size_t i = 0; i < rows; ++i)
        for (size_t j = 0; j < cols; ++j) value(out, i, j);
    out << "0 0 0\n";
}

static void write_residues(const std::string& name, size_t rows, size_t cols, size_t stride, const double* a) {
    write_columns(name, rows, cols, "M", [&](std::ostream& out, size_t i, size_t j) {
        if (a[i * stride + j] != 0) out << i + 1 << ' ' << j + 1 << ' ' << uint64_t(a[i * stride + j]) << '\n';
    });
}

static void solve_mod(const Words& w) {
    const uint32_t p = uint32_t(std::stoul(w[3]));
    const DoubleField F(p);
    const Triplets a = read_matrix(w[1], p), b = read_matrix(w[2], p);
    DenseVector<DoubleField> x(F, a.cols), y(F, a.rows);
    for (const Entry& e : b.entries) y[e.row] = double(e.value);
    const Clock start = Clock::now();
    if (w[0] == "solve-dense") {
        std::vector<double> m = array(a);
        int info = 0;
        const std::vector<double> right(y.begin(), y.end());
        std::vector<double> found(a.cols);
        FFPACK::fgesv(F, FFLAS::FflasLeft, a.rows, a.cols, 1, m.data(), a.cols, found.data(), 1, right.data(), 1, &info);
        if (info) throw std::runtime_error("FFPACK finds no solution");
        std::copy(found.begin(), found.end(), x.begin());
    } else {
        const Sparse m = sparse(F, a);
        if (w[0] == "solve-elimination") solve(x, m, y, Method::SparseElimination());
        else solve(x, m, y, Method::Wiedemann());
    }
    std::printf("{\"consistent\": true, \"cpu_seconds\": %.4f}\n", start.since().cpu);
    write_residues(w[4], a.cols, 1, 1, &x[0]);
}

static void kernel_mod(const Words& w) {
    const uint32_t p = uint32_t(std::stoul(w[2]));
    const DoubleField F(p);
    const Triplets a = read_matrix(w[1], p);
    const Clock start = Clock::now();
    if (w[0] == "kernel-dense") {
        std::vector<double> m = array(a);
        double* basis = nullptr;
        size_t stride = 0, dimension = 0;
        FFPACK::NullSpaceBasis(F, FFLAS::FflasRight, a.rows, a.cols, m.data(), a.cols, basis, stride, dimension);
        std::printf("{\"dimension\": %zu, \"cpu_seconds\": %.4f}\n", dimension, start.since().cpu);
        write_residues(w[3], a.cols, dimension, stride, basis);
        return;
    }
    Sparse m = sparse(F, a);
    DenseMatrix<DoubleField> basis(F, a.cols, a.cols);
    GaussDomain<DoubleField>(F).nullspacebasisin(basis, m);
    std::printf("{\"dimension\": %zu, \"cpu_seconds\": %.4f}\n", basis.coldim(), start.since().cpu);
    write_columns(w[3], basis.rowdim(), basis.coldim(), "M", [&](std::ostream& out, size_t i, size_t j) {
        if (basis.getEntry(i, j) != 0) out << i + 1 << ' ' << j + 1 << ' ' << uint64_t(basis.getEntry(i, j)) << '\n';
    });
}

static void polynomial(const Words& w) {
    const uint32_t p = uint32_t(std::stoul(w[2]));
    const DoubleField F(p);
    const Triplets a = read_matrix(w[1], p);
    DensePolynomial<DoubleField> f(F);
    const Clock start = Clock::now();
    if (w[0] == "minpoly") {
        minpoly(f, sparse(F, a), Method::Blackbox());
    } else {
        DenseMatrix<DoubleField> m(F, a.rows, a.cols);
        for (const Entry& e : a.entries) m.setEntry(e.row, e.col, double(e.value));
        charpoly(f, m, Method::DenseElimination());
    }
    std::printf("{\"degree\": %zu, \"cpu_seconds\": %.4f}\n", f.size() - 1, start.since().cpu);
    for (size_t k = 0; k < f.size(); ++k) std::printf("%llu\n", (unsigned long long)f[k]);
}

static SparseMatrix<Integers> integral(const Integers& Z, const std::string& name) {
    std::ifstream in(name);
    if (!in) throw std::runtime_error("cannot open " + name);
    MatrixStream<Integers> stream(Z, in);
    return SparseMatrix<Integers>(stream);
}

static void solve_rational(const Words& w) {
    const Integers Z;
    const SparseMatrix<Integers> a = integral(Z, w[1]), b = integral(Z, w[2]);
    DenseVector<Integers> x(Z, a.coldim()), y(Z, a.rowdim());
    for (size_t i = 0; i < a.rowdim(); ++i) y[i] = b.getEntry(i, 0);
    Givaro::Integer den;
    const Clock start = Clock::now();
    solve(x, den, a, y, Method::Dixon());
    std::printf("{\"consistent\": true, \"cpu_seconds\": %.4f}\n", start.since().cpu);
    write_columns(w[3], a.coldim(), 1, "Q", [&](std::ostream& out, size_t i, size_t) {
        const Givaro::Integer g = gcd(x[i], den);
        if (x[i] != 0) out << i + 1 << " 1 " << x[i] / g << '/' << den / g << '\n';
    });
}

static void determinant(const Words& w) {
    const Integers Z;
    std::ifstream in(w[1]);
    DenseMatrix<Integers> a(Z);
    a.read(in);
    const Clock start = Clock::now();
    Givaro::Integer d;
    det(d, a);
    const double t = start.since().cpu;
    std::cout << "{\"det\": \"" << d << "\", \"cpu_seconds\": " << t << "}\n";
}

static void smith(const Words& w) {
    const Integers Z;
    const SparseMatrix<Integers> a = integral(Z, w[1]);
    std::vector<Givaro::Integer> diagonal;
    const Clock start = Clock::now();
    smithValence(diagonal, a, w[1]);
    const double t = start.since().cpu;
    // Without any prime in it, the form is left empty: so many ones as the rank, which is not said.
    std::cout << "{\"cpu_seconds\": " << t << ", \"ones_only\": " << (diagonal.empty() ? "true" : "false") << ", \"diagonal\": [";
    const char* comma = "";
    for (const Givaro::Integer& d : diagonal) std::cout << comma << '"' << d << '"', comma = ", ";
    std::cout << "]}\n";
}

int main(int argc, char** argv) {
    const std::map<std::string, std::pair<size_t, void (*)(const Words&)>> modes = {
        {"solve-elimination", {5, solve_mod}}, {"solve-wiedemann", {5, solve_mod}}, {"solve-dense", {5, solve_mod}},
        {"kernel-dense", {4, kernel_mod}},     {"kernel-elimination", {4, kernel_mod}}, {"minpoly", {3, polynomial}},
        {"charpoly", {3, polynomial}},         {"qsolve", {4, solve_rational}},     {"det", {2, determinant}},
        {"smith", {2, smith}}};
    const Words words(argv + 1, argv + argc);
    const auto mode = words.empty() ? modes.end() : modes.find(words[0]);
    if (mode == modes.end() || words.size() != mode->second.first) {
        std::cerr << "usage: the comment at the top of linbox_answers.cpp\n";
        return 2;
    }
    try {
        mode->second.second(words);
    } catch (const std::exception& e) {
        std::cerr << "linbox_answers: " << e.what() << "\n";
        return 1;
    } catch (...) {
        std::cerr << "linbox_answers: LinBox gave up\n";
        return 1;
    }
}
