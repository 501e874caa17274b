// Ranks of sparse matrices mod p by LinBox, to be run beside blackfield. Prints one JSON line.
//
//   linbox_driver bw FILE          block Wiedemann on LinBox's parts, the seconds of its three phases
//   linbox_driver wiedemann FILE   LinBox's scalar Wiedemann rank
//   linbox_driver elimination FILE LinBox's sparse elimination
//   linbox_driver dense FILE       FFLAS-FFPACK's dense rank of the same matrix
//   linbox_driver products FILE    thousand million multiply-adds a second of each block product
// Options: -p P (65521), --block S (16), --seed N (1), --product NAME|auto, --codegree gemm|horner (bw),
// --container csr|seq, --field uint32|double (wiedemann).
//
// The file is read and the containers are built before the clock starts. Threads: OMP_NUM_THREADS.

#include "block_wiedemann.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include <linbox/solutions/rank.h>

struct Options {
    std::string method, file, product = "auto", codegree = "gemm", container = "csr", field = "uint32";
    uint32_t modulus = 65521;
    size_t block = 16;
    uint64_t seed = 1;
};

static Options parse(int argc, char** argv) {
    Options o;
    std::vector<std::string> words;
    for (int i = 1; i < argc; ++i) {
        const std::string a = argv[i];
        if (a[0] != '-') {
            words.push_back(a);
            continue;
        }
        if (++i == argc) throw std::runtime_error(a + " needs a value");
        if (a == "-p") o.modulus = uint32_t(std::stoul(argv[i]));
        else if (a == "--block") o.block = std::stoul(argv[i]);
        else if (a == "--seed") o.seed = std::stoull(argv[i]);
        else if (a == "--product") o.product = argv[i];
        else if (a == "--codegree") o.codegree = argv[i];
        else if (a == "--container") o.container = argv[i];
        else if (a == "--field") o.field = argv[i];
        else throw std::runtime_error("unknown option " + a);
    }
    if (words.size() != 2) throw std::runtime_error("usage: linbox_driver bw|wiedemann|elimination|dense|products FILE [options]");
    o.method = words[0];
    o.file = words[1];
    // p² ≤ 2³² keeps sums of products in 64 bits, and p < 2²⁶ is what Modular<double> holds.
    if (o.modulus < 3 || o.modulus > 65535) throw std::runtime_error("-p: an odd prime below 2^16");
    const auto one_of = [](const std::string& option, const std::string& value, std::vector<std::string> allowed) {
        if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) throw std::runtime_error(option + ": no such choice: " + value);
    };
    std::vector<std::string> products = product_names();
    products.push_back("auto");
    one_of("method", o.method, {"bw", "wiedemann", "elimination", "dense", "products"});
    one_of("--product", o.product, products);
    one_of("--codegree", o.codegree, {"gemm", "horner"});
    one_of("--container", o.container, {"csr", "seq"});
    one_of("--field", o.field, {"uint32", "double"});
    if (o.block == 0) throw std::runtime_error("--block: at least 1");
    return o;
}

// Seconds of CPU for one X ← M₂M₁X: the least of `tries`, after one to warm up.
static double step_seconds(BlockProduct& product, const std::vector<double>& x, int tries) {
    product.load(x);
    product.step();
    double best = 1e300;
    for (int i = 0; i < tries; ++i) {
        const Clock start = Clock::now();
        product.step();
        best = std::min(best, start.since().cpu);
    }
    return best;
}

// The LinBox product that takes the least CPU time for these factors; FFLAS-FFPACK's own only by name.
static std::string fastest_product(const Triplets& m1, const Triplets& m2, const std::vector<double>& x, size_t s) {
    std::string best;
    double least = 1e300;
    for (const std::string& name : product_names()) {
        if (name == "fflas") continue;
        const double t = step_seconds(*make_product(name, m1, m2, s), x, 1);
        if (t < least) least = t, best = name;
    }
    return best;
}

static void run_bw(const Options& o, const Triplets& a, double read_seconds) {
    std::mt19937_64 rng(o.seed);
    const auto [m1, m2] = preconditioned(a, rng);
    const std::string product =
        o.product == "auto" ? fastest_product(m1, m2, random_block(m1.cols, o.block, o.modulus, rng), o.block) : o.product;
    const Phases t = block_wiedemann(m1, m2, product, o.block, o.codegree == "horner", rng);
    std::printf("{\"method\": \"bw\", \"rank\": %zu, \"rows\": %zu, \"cols\": %zu, \"nnz\": %zu, \"modulus\": %u, \"block\": %zu, "
                "\"product\": \"%s\", \"codegree\": \"%s\", \"threads\": %d, \"read\": %.4f, "
                "\"cpu\": {\"sequence\": %.4f, \"sigma_basis\": %.4f, \"codegree\": %.4f}, "
                "\"wall\": {\"sequence\": %.4f, \"sigma_basis\": %.4f, \"codegree\": %.4f}, \"cpu_seconds\": %.4f, \"seconds\": %.4f}\n",
                t.rank, a.rows, a.cols, a.entries.size(), o.modulus, o.block, product.c_str(), o.codegree.c_str(), omp_get_max_threads(),
                read_seconds, t.sequence.cpu, t.sigma_basis.cpu, t.codegree.cpu, t.sequence.wall, t.sigma_basis.wall, t.codegree.wall,
                t.sequence.cpu + t.sigma_basis.cpu + t.codegree.cpu, t.sequence.wall + t.sigma_basis.wall + t.codegree.wall);
}

// LinBox's own rank over the given field, with the given container and method.
template <class Field, class Storage, class Method>
static std::pair<size_t, Clock> linbox_rank(const Triplets& a, const Method& method) {
    const Field F(a.modulus);
    LinBox::SparseMatrix<Field, Storage> M(F, a.rows, a.cols);
    fill(M, a);
    size_t r = 0;
    const Clock start = Clock::now();
    LinBox::rank(r, M, method);
    return {r, start.since()};
}

template <class Field>
static std::pair<size_t, Clock> wiedemann(const Options& o, const Triplets& a) {
    using namespace LinBox;
    if (o.container == "csr") return linbox_rank<Field, SparseMatrixFormat::CSR>(a, Method::Wiedemann());
    return linbox_rank<Field, SparseMatrixFormat::SparseSeq>(a, Method::Wiedemann());
}

// FFLAS-FFPACK's rank of the matrix as one dense array, eliminated in place; the clock includes filling the array. The triplets are
// freed first, as a program that has only this to do would.
static std::pair<size_t, Clock> dense_rank(Triplets& a) {
    const DoubleField F(a.modulus);
    const Clock start = Clock::now();
    std::vector<double> values(a.rows * a.cols);
    for (const Entry& e : a.entries) values[e.row * a.cols + e.col] = double(e.value);
    std::vector<Entry>().swap(a.entries);
    const size_t r = FFPACK::Rank(F, a.rows, a.cols, values.data(), a.cols);
    return {r, start.since()};
}

static void run_rank(const Options& o, Triplets& a, double read_seconds) {
    using namespace LinBox;
    const bool wiedemann_asked = o.method == "wiedemann";
    const size_t nnz = a.entries.size();
    const auto [rank, t] = o.method == "dense"         ? dense_rank(a)
                           : o.method == "elimination" ? linbox_rank<DoubleField, SparseMatrixFormat::SparseSeq>(a, Method::SparseElimination())
                           : o.field == "uint32"       ? wiedemann<UnsignedField>(o, a)
                                                       : wiedemann<DoubleField>(o, a);
    std::printf("{\"method\": \"%s\", \"rank\": %zu, \"rows\": %zu, \"cols\": %zu, \"nnz\": %zu, \"modulus\": %u, "
                "\"container\": \"%s\", \"field\": \"%s\", \"read\": %.4f, \"cpu_seconds\": %.4f, \"seconds\": %.4f}\n",
                o.method.c_str(), rank, a.rows, a.cols, nnz, o.modulus,
                wiedemann_asked ? o.container.c_str() : o.method == "dense" ? "array" : "seq",
                wiedemann_asked ? o.field.c_str() : "double", read_seconds, t.cpu, t.wall);
}

static void run_products(const Options& o, const Triplets& a) {
    std::mt19937_64 rng(o.seed);
    const auto [m1, m2] = preconditioned(a, rng);
    const std::vector<double> x = random_block(m1.cols, o.block, o.modulus, rng);
    std::printf("{\"method\": \"products\", \"rows\": %zu, \"cols\": %zu, \"nnz\": %zu, \"block\": %zu, \"gmadd_per_cpu_second\": {", a.rows,
                a.cols, a.entries.size(), o.block);
    const char* comma = "";
    for (const std::string& name : product_names()) {
        const double t = step_seconds(*make_product(name, m1, m2, o.block), x, 3);
        std::printf("%s\"%s\": %.3f", comma, name.c_str(), 2e-9 * double(a.entries.size() * o.block) / t);
        comma = ", ";
    }
    std::printf("}}\n");
}

int main(int argc, char** argv) {
    try {
        const Options o = parse(argc, argv);
        const Clock start = Clock::now();
        Triplets a = read_matrix(o.file, o.modulus);
        const double read_seconds = start.since().cpu;
        if (o.method == "bw") run_bw(o, a, read_seconds);
        else if (o.method == "products") run_products(o, a);
        else run_rank(o, a, read_seconds);
    } catch (const std::exception& e) {
        std::cerr << "linbox_driver: " << e.what() << "\n";
        return 1;
    }
}
