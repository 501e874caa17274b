//! The subcommands, and what each is asked for before it runs.

use super::{
    BenchArgs, CharpolyArgs, CompletionsArgs, ConvertArgs, DetArgs, GenerateArgs, HomologyArgs, InfoArgs, KernelArgs,
    ManArgs, MatchingsArgs, MinpolyArgs, PermanentArgs, RankArgs, RrefArgs, SmithArgs, SolveArgs, TuneArgs, VerifyArgs,
};
use clap::builder::Resettable;
use clap::{ArgMatches, Args, FromArgMatches, Subcommand};
use std::ops::Deref;

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// The rank of sparse matrices mod p.
    ///
    /// Standard output has the rank alone; everything else (how, why, how sure) is on standard error. Several files or
    /// moduli have a line each, in the order given: the file, the modulus, the rank and its certainty, with tabs
    /// between them (--bare: the ranks alone). A file without an answer does not keep the others from theirs. A file is
    /// read once for all moduli. Formats are detected from the content: SMS, MatrixMarket, Harwell-Boeing, tables,
    /// literal matrices of algebra systems, arrays of NumPy, SciPy and MATLAB, graphs, each also compressed or in an
    /// archive.
    Rank(Later<RankArgs>),
    /// Check the certificate of a rank mod p, or the JSON document of another answer.
    ///
    /// Standard output has the verdict in one line. A certificate that does not hold ends in exit code 1; one that is
    /// damaged, or for another matrix, in exit code 3. Checking costs about two passes over the matrix with some random
    /// vectors, whatever it cost to find the rank: no elimination.
    ///
    /// A JSON document of kernel, solve, rref, det, minpoly, charpoly, smith or homology is checked by other means than
    /// it was found by: what was written is multiplied out, the rest follows from ranks and residues mod other primes,
    /// or is computed again.
    Verify(Later<VerifyArgs>),
    /// The null space of a sparse matrix, mod p or over the rationals.
    ///
    /// A basis of all x with A*x = 0 is written as the columns of a matrix N: A*N = 0. With --left it is one of all x
    /// with x*A = 0, as the rows of N. Standard output has the dimension alone. The file is written as the vectors are
    /// made, so that it may be far larger than memory. Each vector is checked by multiplication; they are independent,
    /// since each has a 1 where all others have 0, and as many as the rank of the pivots allows: a basis that was
    /// written is proven. Where elimination would take too long or too much memory, vectors come from block Wiedemann,
    /// random ones as well as those of a basis, whose independence is then shown by an elimination of their
    /// combinations.
    Kernel(Later<KernelArgs>),
    /// Solve A*X = B mod p or over the rationals, for sparse A of any shape and rank.
    ///
    /// Each column of B is a right side. Standard output has one word: consistent if all of them have solutions, which
    /// are written as the columns of X, or inconsistent; then nothing is written. Both are answers, with exit code 0.
    /// Solutions are checked by multiplication; a system without any has a vector y with y*A = 0 and y*b not 0
    /// (--json). With --rational, entries of A and B may be fractions a/b, those of X are, and all is proven.
    Solve(Later<SolveArgs>),
    /// The reduced row echelon form of a sparse matrix, mod p or over the rationals.
    ///
    /// The form R is written without its zero rows: each row begins with a 1, which is alone in its column, and these
    /// columns ascend. Standard output has the rank alone. The file is written as columns are found, so that it may be
    /// far larger than memory; entries come in no particular order.
    Rref(Later<RrefArgs>),
    /// The determinant of a square sparse matrix, over the integers or mod p.
    ///
    /// Standard output has the determinant alone: with -p a residue. One that is not 0 is proven then, by exact
    /// elimination; one that is 0 is as sure as the rank below the number of rows. Without -p it is an integer, or a/b
    /// for a matrix with fractions: 0 is proven, others to an error bound of 1e-12 or, with --proven, by Hadamard's
    /// inequality.
    Det(Later<DetArgs>),
    /// The Smith normal form over Z of a sparse integer matrix: its invariant factors.
    ///
    /// Standard output has one line for each invariant factor, ascending: the factor and its multiplicity. Factors that
    /// are 0 are not listed; the rank, the sum of the multiplicities, tells how many there are. All is proven as a rule
    /// but, for some matrices, the rank, and that no factor lacks a prime: a line on standard error and the JSON
    /// document say.
    Smith(Later<SmithArgs>),
    /// The minimal polynomial of a square sparse matrix mod p.
    ///
    /// Standard output has its coefficients, one a line, constant first; the last is 1. It divides the minimal
    /// polynomial for certain, and is proven to be all of it where random vectors generate the whole space or m(A) = 0
    /// was computed; otherwise the answer states an error bound.
    Minpoly(Later<MinpolyArgs>),
    /// The characteristic polynomial det(x - A) of a square sparse matrix mod p.
    ///
    /// Standard output has its coefficients, one a line, constant first; the last is 1. It is the product over the
    /// strongly connected components of the directed graph of A, each by exact elimination, or from proven relations of
    /// random vectors and ranks, as sure as these.
    Charpoly(Later<CharpolyArgs>),
    /// The homology of a chain complex or of a simplicial complex: Betti numbers and torsion.
    ///
    /// The matrices are the boundaries D1, D2, ... in this order, with a row for each k-cell and a column for each
    /// (k-1)-cell, as `generate --complex` writes them; that the boundary of a boundary is zero is checked first.
    /// Standard output has a table: one line for each degree, one column for the integers or each field.
    Homology(Later<HomologyArgs>),
    /// The exact permanent of integer matrices: perfect matchings counted to the last digit.
    ///
    /// Standard output has the permanent alone, as soon as it is known; everything else (how, why, how sure) is on
    /// standard error. Several files or moduli have a line each, in the order given: the file, the modulus (Z for the
    /// integer), the permanent and its certainty, with tabs between them (--bare: the permanents alone). A file without
    /// an answer does not keep the others from theirs. The permanent of a 0-1 matrix is the number of perfect matchings
    /// of its bipartite graph (rows and columns are its vertices); for the perfect matchings of a graph given by its
    /// adjacency matrix, see `matchings`. A rectangular matrix has the sum over all injections of its smaller side into
    /// the larger one.
    Permanent(Later<PermanentArgs>),
    /// The perfect matchings of any graph, counted exactly; with --by-size the matchings of every size.
    ///
    /// A graph is a symmetric matrix without a diagonal: its rows are the vertices, its entries the weights of the
    /// edges (any integers), and a matching counts as the product of its weights. Standard output has the number of
    /// perfect matchings alone (the hafnian); several files have a line each: the file, Z, the number and its
    /// certainty, with tabs between them (--bare: the numbers alone). With --by-size, for one file, there are lines `k
    /// number` for the matchings with k edges. Everything else is on standard error. For a bipartite graph given by
    /// rows and columns, see `permanent`.
    Matchings(Later<MatchingsArgs>),
    /// What a matrix looks like, and how its rank would be found.
    ///
    /// Size, non-zeros, histograms of row weights and values, the share of 1 and -1, structural facts, the block
    /// triangular form, the plan that `rank` would start with for the modulus given, with its predicted time, memory
    /// and certainty, and the plan of formats for products with the matrix itself. For the plan of the rank, pivots are
    /// looked for as `rank` does.
    Info(Later<InfoArgs>),
    /// Measure this machine, once for all plans or for one matrix.
    ///
    /// --install measures what operations cost here and writes a profile, from which `rank`, `permanent`, `info` and
    /// `bench` plan from then on. With a matrix, products are timed in every format and block width, and compared with
    /// what the planner chose; --check computes a rank and shows what each step was predicted to take and took.
    Tune(Later<TuneArgs>),
    /// Time the library's kernels on made-up inputs; every answer is checked.
    ///
    /// Each line is the best of several runs by the clock, on the threads that --threads grants. The profile tells the
    /// plans, and with them what is predicted.
    Bench(Later<BenchArgs>),
    /// Rewrite a matrix in another format.
    ///
    /// The output's name gives its format (.sms, .mtx, .coo, .npy, .npz; compressed with .gz, .xz, .bz2 or .zst),
    /// unless --to does. Entries are written in canonical order: rows ascending, columns ascending, duplicates summed,
    /// zeros dropped.
    ///
    /// IN::NAME selects one of several matrices in an archive, a .mat or an .npz file.
    Convert(Later<ConvertArgs>),
    /// Write a matrix of a known exact family by name, or all boundary matrices of a complex.
    ///
    /// The matrices are those of the Sparse Integer Matrix Collection and its relatives: boundary matrices of
    /// chessboard and matching complexes, block designs, graphs. With --complex, NAME is that of a whole complex, such
    /// as mk9 or ch5-5, and the folder of --output gets d1.sms.gz, d2.sms.gz, ..., for `blackfield homology`. --list
    /// prints the families, how their names are read, and an example each.
    Generate(Later<GenerateArgs>),
    /// Print a completion script for a shell.
    Completions(Later<CompletionsArgs>),
    /// Print the manual page, or write all pages into a folder.
    Man(Later<ManArgs>),
}

/// The subcommand with its options, and described as before: options that several subcommands share come with words of
/// their own.
fn as_described(command: clap::Command, options: fn(clap::Command) -> clap::Command) -> clap::Command {
    let (about, long_about) = (command.get_about().cloned(), command.get_long_about().cloned());
    options(command).about(Resettable::from(about)).long_about(Resettable::from(long_about))
}

/// Options that are put together when their subcommand is typed: to do so for all subcommands takes longer than many an
/// answer. What is said about a subcommand in a list of all stands above, at its name.
#[derive(Debug)]
pub struct Later<T>(T);

impl<T> Deref for Later<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: FromArgMatches> FromArgMatches for Later<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        T::from_arg_matches(matches).map(Later)
    }
    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl<T: Args> Args for Later<T> {
    fn augment_args(command: clap::Command) -> clap::Command {
        command.defer(|command| as_described(command, T::augment_args))
    }
    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        command.defer(|command| as_described(command, T::augment_args_for_update))
    }
}

impl Command {
    /// Whether the caller reads JSON, of errors too.
    pub fn json(&self) -> bool {
        match self {
            Command::Rank(args) => args.json,
            Command::Verify(args) => args.json,
            Command::Kernel(args) => args.answer.json,
            Command::Solve(args) => args.answer.json,
            Command::Rref(args) => args.answer.json,
            Command::Det(args) => args.answer.json,
            Command::Smith(args) => args.answer.json,
            Command::Minpoly(args) => args.polynomial.answer.json,
            Command::Charpoly(args) => args.polynomial.answer.json,
            Command::Homology(args) => args.answer.json,
            Command::Permanent(args) => args.json,
            Command::Matchings(args) => args.json,
            Command::Info(args) => args.json,
            Command::Tune(args) => args.json,
            Command::Bench(args) => args.json,
            Command::Convert(args) => args.json,
            Command::Generate(args) => args.json,
            Command::Completions(_) | Command::Man(_) => false,
        }
    }
}

impl Command {
    /// Whether only the plan is wanted.
    pub fn dry_run(&self) -> bool {
        match self {
            Command::Rank(args) => args.dry_run,
            Command::Kernel(args) => args.answer.dry_run,
            Command::Solve(args) => args.answer.dry_run,
            Command::Rref(args) => args.answer.dry_run,
            Command::Det(args) => args.answer.dry_run,
            Command::Smith(args) => args.answer.dry_run,
            Command::Minpoly(args) => args.polynomial.answer.dry_run,
            Command::Charpoly(args) => args.polynomial.answer.dry_run,
            Command::Homology(args) => args.answer.dry_run,
            Command::Permanent(args) => args.dry_run,
            Command::Matchings(args) => args.dry_run,
            _ => false,
        }
    }
    /// What is typed for it, of those that have plans.
    pub fn name(&self) -> &'static str {
        match self {
            Command::Rank(_) => "rank",
            Command::Kernel(_) => "kernel",
            Command::Solve(_) => "solve",
            Command::Rref(_) => "rref",
            Command::Det(_) => "det",
            Command::Smith(_) => "smith",
            Command::Minpoly(_) => "minpoly",
            Command::Charpoly(_) => "charpoly",
            Command::Homology(_) => "homology",
            Command::Permanent(_) => "permanent",
            Command::Matchings(_) => "matchings",
            _ => "",
        }
    }
    /// The limit of memory that was asked for.
    pub fn max_memory(&self) -> Option<u64> {
        match self {
            Command::Rank(args) => args.max_memory,
            Command::Kernel(args) => args.answer.max_memory,
            Command::Solve(args) => args.answer.max_memory,
            Command::Rref(args) => args.answer.max_memory,
            Command::Det(args) => args.answer.max_memory,
            Command::Smith(args) => args.answer.max_memory,
            Command::Minpoly(args) => args.polynomial.answer.max_memory,
            Command::Charpoly(args) => args.polynomial.answer.max_memory,
            Command::Homology(args) => args.answer.max_memory,
            Command::Permanent(args) => args.max_memory,
            Command::Matchings(args) => args.max_memory,
            _ => None,
        }
    }
}
