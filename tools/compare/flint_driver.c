/* FLINT's dense answers about a sparse matrix in an SMS file, beside blackfield's: one JSON document with the CPU seconds after reading.

     flint_driver kernel FILE P OUT         null space mod P, one vector a column
     flint_driver solve FILE B P OUT        a solution mod P
     flint_driver minpoly|charpoly FILE P   mod P, a coefficient a line after the document
     flint_driver qkernel FILE OUT          null space over the rationals, of integers
     flint_driver qsolve FILE B OUT         a solution over the rationals
     flint_driver qrref FILE OUT            reduced echelon form over the rationals
     flint_driver det|smith FILE            over the integers
   cc -O3 -march=native flint_driver.c -o flint_driver -lflint -lgmp      (Debian: libflint-dev, FLINT 2.9) */
#include <flint/flint.h>
#include <flint/fmpq_mat.h>
#include <flint/fmpz_mat.h>
#include <flint/nmod_mat.h>
#include <flint/nmod_poly.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static clock_t start;
static double seconds(void) { return (double)(clock() - start) / CLOCKS_PER_SEC; }

static FILE *open_or_die(const char *name, const char *mode) {
    FILE *file = fopen(name, mode);
    if (file == NULL) {
        fprintf(stderr, "flint_driver: cannot open %s\n", name);
        exit(3);
    }
    return file;
}

static void read_integers(fmpz_mat_t a, const char *name) {
    FILE *file = open_or_die(name, "r");
    static char word[1 << 20];
    slong rows, cols, i, j;
    if (fscanf(file, "%ld %ld %15s", &rows, &cols, word) != 3) exit(3);
    fmpz_mat_init(a, rows, cols);
    while (fscanf(file, "%ld %ld %1048575s", &i, &j, word) == 3 && i != 0) fmpz_set_str(fmpz_mat_entry(a, i - 1, j - 1), word, 10);
    fclose(file);
}

static void read_residues(nmod_mat_t a, const char *name, mp_limb_t p) {
    FILE *file = open_or_die(name, "r");
    char word[16];
    slong rows, cols, i, j;
    long long value;
    if (fscanf(file, "%ld %ld %15s", &rows, &cols, word) != 3) exit(3);
    nmod_mat_init(a, rows, cols, p);
    while (fscanf(file, "%ld %ld %lld", &i, &j, &value) == 3 && i != 0) {
        mp_limb_t residue = value < 0 ? p - (mp_limb_t)(-value) % p : (mp_limb_t)value % p;
        nmod_mat_entry(a, i - 1, j - 1) = residue % p;
    }
    fclose(file);
}

static void write_residues(const nmod_mat_t a, slong cols, const char *name) {
    FILE *file = open_or_die(name, "w");
    fprintf(file, "%ld %ld M\n", a->r, cols);
    for (slong i = 0; i < a->r; i++)
        for (slong j = 0; j < cols; j++)
            if (nmod_mat_entry(a, i, j)) fprintf(file, "%ld %ld %lu\n", i + 1, j + 1, nmod_mat_entry(a, i, j));
    fprintf(file, "0 0 0\n");
    fclose(file);
}

/* The first so many rows and columns, over a common denominator. */
static void write_rationals(const fmpz_mat_t a, const fmpz_t den, slong rows, slong cols, const char *name) {
    FILE *file = open_or_die(name, "w");
    fmpq_t x;
    fmpq_init(x);
    fprintf(file, "%ld %ld Q\n", rows, cols);
    for (slong i = 0; i < rows; i++)
        for (slong j = 0; j < cols; j++) {
            if (fmpz_is_zero(fmpz_mat_entry(a, i, j))) continue;
            fmpq_set_fmpz_frac(x, fmpz_mat_entry(a, i, j), den);
            fprintf(file, "%ld %ld ", i + 1, j + 1);
            fmpq_fprint(file, x);
            fprintf(file, "\n");
        }
    fprintf(file, "0 0 0\n");
    fclose(file);
}

static int modular(const char *what, char **words) {
    nmod_mat_t a, x, b;
    const int solving = !strcmp(what, "solve");
    const mp_limb_t p = strtoull(words[solving ? 2 : 1], NULL, 10);
    read_residues(a, words[0], p);
    if (solving) read_residues(b, words[1], p);
    start = clock();
    if (!strcmp(what, "kernel")) {
        nmod_mat_init(x, a->c, a->c, p);
        slong dimension = nmod_mat_nullspace(x, a);
        printf("{\"dimension\": %ld, \"cpu_seconds\": %.4f}\n", dimension, seconds());
        write_residues(x, dimension, words[2]);
        return 0;
    }
    if (solving) {
        nmod_mat_init(x, a->c, b->c, p);
        int found = nmod_mat_can_solve(x, a, b);
        printf("{\"consistent\": %s, \"cpu_seconds\": %.4f}\n", found ? "true" : "false", seconds());
        write_residues(x, b->c, words[3]);
        return 0;
    }
    nmod_poly_t f;
    nmod_poly_init(f, p);
    if (!strcmp(what, "minpoly")) nmod_mat_minpoly(f, a);
    else nmod_mat_charpoly(f, a);
    printf("{\"degree\": %ld, \"cpu_seconds\": %.4f}\n", nmod_poly_degree(f), seconds());
    for (slong k = 0; k <= nmod_poly_degree(f); k++) printf("%lu\n", nmod_poly_get_coeff_ui(f, k));
    return 0;
}

static int integral(const char *what, char **words) {
    fmpz_mat_t a, b, x;
    fmpz_t den;
    fmpz_init_set_ui(den, 1);
    read_integers(a, words[0]);
    if (!strcmp(what, "qsolve")) read_integers(b, words[1]);
    start = clock();
    if (!strcmp(what, "qkernel")) {
        fmpz_mat_init(x, a->c, a->c);
        slong dimension = fmpz_mat_nullspace(x, a);
        printf("{\"dimension\": %ld, \"cpu_seconds\": %.4f}\n", dimension, seconds());
        write_rationals(x, den, a->c, dimension, words[1]);
    } else if (!strcmp(what, "qsolve")) {
        fmpz_mat_init(x, a->c, b->c);
        int found = fmpz_mat_can_solve(x, den, a, b);
        printf("{\"consistent\": %s, \"cpu_seconds\": %.4f}\n", found ? "true" : "false", seconds());
        write_rationals(x, den, a->c, b->c, words[2]);
    } else if (!strcmp(what, "qrref")) {
        slong rank = fmpz_mat_rref(a, den, a);
        printf("{\"rank\": %ld, \"cpu_seconds\": %.4f}\n", rank, seconds());
        write_rationals(a, den, rank, a->c, words[1]);
    } else if (!strcmp(what, "det")) {
        fmpz_mat_det(den, a);
        printf("{\"det\": \"");
        fmpz_print(den);
        printf("\", \"cpu_seconds\": %.4f}\n", seconds());
    } else {
        fmpz_mat_init(x, a->r, a->c);
        fmpz_mat_snf(x, a);
        printf("{\"cpu_seconds\": %.4f, \"diagonal\": [", seconds());
        for (slong k = 0; k < a->r && k < a->c; k++) {
            printf(k ? ", \"" : "\"");
            fmpz_print(fmpz_mat_entry(x, k, k));
            printf("\"");
        }
        printf("]}\n");
    }
    return 0;
}

int main(int count, char **words) {
    static const struct {
        const char *what;
        int words, modular;
    } modes[] = {{"kernel", 3, 1}, {"solve", 4, 1}, {"minpoly", 2, 1}, {"charpoly", 2, 1}, {"qkernel", 2, 0},
                 {"qsolve", 3, 0}, {"qrref", 2, 0}, {"det", 1, 0},     {"smith", 1, 0}};
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
        if (count == modes[k].words + 2 && !strcmp(words[1], modes[k].what)) return (modes[k].modular ? modular : integral)(words[1], words + 2);
    fprintf(stderr, "usage: the comment at the top of flint_driver.c\n");
    return 2;
}
