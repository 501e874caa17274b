// Integers by their bits, and the type of a residue: LANE bits of it, 8, 16, 32 or 64 (problem.cuh); 1 in blocks mod 2, 32 residues in a u32.

#pragma once
#include "problem.cuh"

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#if LANE == 1
typedef u32 Lane;
#elif LANE == 8
typedef u8 Lane;
#elif LANE == 16
typedef u16 Lane;
#elif LANE == 32
typedef u32 Lane;
#else
typedef u64 Lane;
#endif
