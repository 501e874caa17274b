#!/usr/bin/env python3
"""A null vector of a sparse matrix mod a large prime by PARI, beside `blackfield kernel`: writes a GP program.

    blackfield generate relations_3000_2900_1 -o r.sms
    tools/compare/pari_kernel.py r.sms 2^127-1 > r.gp && gp -q -f r.gp

The program calls PARI's solver for discrete logarithms, `FpMs_leftkernel_elt` of libpari (structured elimination and Wiedemann's method), on
the transpose, says how many relations the vector fails, and the milliseconds of the solver alone. It needs a gp that can `install`.
"""

import sys


def main():
    name, modulus = sys.argv[1:]
    with open(name) as file:
        rows, cols, _ = file.readline().split()
        relations = [[] for _ in range(int(rows))]
        for line in file:
            i, j, value = map(int, line.split())
            if i:
                relations[i - 1].append((j, value))
    print('default(parisizemax, 8*10^9);\ninstall("FpMs_leftkernel_elt", "GLG", "left");')
    print(f"p = {modulus}; M = List();")
    for relation in relations:
        at, values = (",".join(str(entry[k]) for entry in relation) for k in (0, 1))
        print(f"listput(M, [Vecsmall([{at}]), Vecsmall([{values}])]);")
    print(f"M = Vec(M); gettime(); x = left(M, {cols}, p); t = gettime();")
    print("failed = sum(k = 1, #M, sum(l = 1, #M[k][1], x[M[k][1][l]]*M[k][2][l]) % p != 0);")
    print('print(failed, " relations fail; ", sum(k = 1, #x, x[k] != 0), " logarithms in ", t, " ms"); quit')


if __name__ == "__main__":
    main()
