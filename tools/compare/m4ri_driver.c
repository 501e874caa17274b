/* The rank of an SMS file over GF(2) by M4RI: one JSON document with the rank and the CPU seconds after reading.
   cc -O3 -march=native m4ri_driver.c -o m4ri_driver -lm4ri      (Debian: libm4ri-dev) */
#include <m4ri/m4ri.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int count, char **words) {
    FILE *file = count == 2 ? fopen(words[1], "rb") : NULL;
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) return 3;
    long size = ftell(file);
    rewind(file);
    char *text = malloc(size + 1);
    if (text == NULL || fread(text, 1, size, file) != (size_t)size) return 4;
    text[size] = 0;
    fclose(file);
    char *at = text;
    long rows = strtol(at, &at, 10), cols = strtol(at, &at, 10);
    while (*at && *at != '\n') at++;
    mzd_t *matrix = mzd_init(rows, cols);
    for (;;) {
        long i = strtol(at, &at, 10), j = strtol(at, &at, 10), value = strtol(at, &at, 10);
        if (i == 0) break;
        if (value & 1) mzd_write_bit(matrix, i - 1, j - 1, 1);
    }
    free(text);
    clock_t start = clock();
    long rank = mzd_echelonize(matrix, 0);
    printf("{\"rank\": %ld, \"cpu_seconds\": %.6f}\n", rank, (double)(clock() - start) / CLOCKS_PER_SEC);
    return 0;
}
