/* IML's answers over the rationals about a matrix in an SMS file of machine words: one JSON document with the CPU seconds after reading.

     iml_driver kernel FILE OUT      null space, of integers, one vector a column
     iml_driver solve FILE B OUT     the solution of a nonsingular system
   cc -O3 -march=native iml_driver.c -o iml_driver -liml -lgmp -lopenblas      (Debian: libiml-dev, libopenblas-dev) */
#include <gmp.h>
#include <iml.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long *read_words(const char *name, long *rows, long *cols) {
    FILE *file = fopen(name, "r");
    char word[16];
    long i, j, value;
    if (file == NULL || fscanf(file, "%ld %ld %15s", rows, cols, word) != 3) exit(3);
    long *a = calloc((size_t)*rows * *cols, sizeof *a);
    if (a == NULL) exit(4);
    while (fscanf(file, "%ld %ld %ld", &i, &j, &value) == 3 && i != 0) a[(i - 1) * *cols + j - 1] = value;
    fclose(file);
    return a;
}

/* An array by rows over a common denominator. */
static void write_rationals(mpz_t *a, mpz_t den, long rows, long cols, const char *name) {
    FILE *file = fopen(name, "w");
    mpq_t x;
    if (file == NULL) exit(3);
    mpq_init(x);
    fprintf(file, "%ld %ld Q\n", rows, cols);
    for (long i = 0; i < rows; i++)
        for (long j = 0; j < cols; j++) {
            mpq_set_num(x, a[i * cols + j]);
            mpq_set_den(x, den);
            mpq_canonicalize(x);
            if (mpq_sgn(x)) gmp_fprintf(file, "%ld %ld %Qd\n", i + 1, j + 1, x);
        }
    fprintf(file, "0 0 0\n");
    fclose(file);
}

int main(int count, char **words) {
    const int solving = count == 5 && !strcmp(words[1], "solve");
    if (!solving && !(count == 4 && !strcmp(words[1], "kernel"))) return 2;
    long rows, cols, height, width;
    long *a = read_words(words[2], &rows, &cols);
    mpz_t den, *x;
    mpz_init_set_ui(den, 1);
    if (solving) {
        long *b = read_words(words[3], &height, &width);
        if (rows != cols || height != rows) return 3;
        mpz_t *right = malloc(height * width * sizeof *right);
        x = malloc(cols * width * sizeof *x);
        if (right == NULL || x == NULL) return 4;
        for (long k = 0; k < height * width; k++) mpz_init_set_si(right[k], b[k]);
        for (long k = 0; k < cols * width; k++) mpz_init(x[k]);
        clock_t start = clock();
        nonsingSolvMM(RightSolu, rows, width, a, right, x, den);
        printf("{\"consistent\": true, \"cpu_seconds\": %.4f}\n", (double)(clock() - start) / CLOCKS_PER_SEC);
        write_rationals(x, den, cols, width, words[4]);
    } else {
        clock_t start = clock();
        long dimension = kernelLong(rows, cols, a, &x, 0);
        printf("{\"dimension\": %ld, \"cpu_seconds\": %.4f}\n", dimension, (double)(clock() - start) / CLOCKS_PER_SEC);
        write_rationals(x, den, cols, dimension, words[3]);
    }
    return 0;
}
