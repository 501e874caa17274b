//! Tiles of bytes on Intel AMX: `tdpbssd` adds the product of 16 rows of 64 bytes and 16 columns of 64 to 16 × 16 sums.
//!
//! A block of 16 rows and two of 16 columns have their sums in two registers, and two more hold operands. Sums of two
//! by two blocks would ask for less of the caches, but they take all eight registers. On a Xeon virtual machine,
//! operands in the nearest cache, the speed of both alternates in time: either 2.2·10¹² multiply-adds a second, or
//! 1.1·10¹² for four registers and 0.5·10¹² for eight, as if few registers were left to rename them while another
//! thread is busy on the core.
//!
//! Linux gives the registers to a process that asks for them once ([`Extra::Amx`]). They are configured and released in
//! the one block of instructions that uses them, so that no state of them outlives a call.

use super::super::bytes::{BLOCK, BLOCK_WORDS, ByteTile, COLS};
use crate::isa::{Extra, Isa};
use std::arch::asm;

/// The tile, if this processor has the instructions and the system lets the process use them.
pub(in super::super) fn tile() -> Option<ByteTile> {
    Extra::Amx.is_available().then_some(ByteTile::new(Isa::Avx512, multiply))
}

/// What `ldtilecfg` reads: palette 1, then the bytes of a row (16 bits each) and the rows of every register.
#[repr(C, align(64))]
struct Configuration([u8; 64]);

static CONFIGURATION: Configuration = Configuration(configuration());

const fn configuration() -> [u8; 64] {
    let mut bytes = [0; 64];
    bytes[0] = 1;
    let mut register = 0;
    while register < 4 {
        bytes[16 + 2 * register] = 64;
        bytes[48 + register] = BLOCK as u8;
        register += 1;
    }
    bytes
}

// It leaves this file through `tile` alone, which has detected what it needs, and is called with slices whose lengths
// `ByteTile::multiply` has checked.
fn multiply(steps: usize, a: &[i32], b: &[i32], sums: &mut [i32], more: bool) {
    if steps == 0 || a.is_empty() {
        if !more {
            sums.fill(0);
        }
        return;
    }
    let blocks = a.len() / (steps * BLOCK_WORDS);
    // SAFETY: the instructions are there, see above. `a` has `blocks`·`steps` times 1024 bytes, `b` has `steps` times
    // 2048, `sums` has `blocks` times 16 rows of 128 bytes: each `add` below stays inside them or one past the end, and
    // prefetches do not fault. All registers of matrices are named as overwritten, and released at the end.
    unsafe {
        asm!(
            "ldtilecfg [{configuration}]",
            "3:",
            "test {more:e}, {more:e}",
            "jnz 4f",
            "tilezero tmm0",
            "tilezero tmm1",
            "jmp 5f",
            "4:",
            "tileloadd tmm0, [{sums} + {two}]",
            "tileloadd tmm1, [{sums} + {two} + 64]",
            "5:",
            "mov {b}, {first}",
            "mov {step}, {steps}",
            "2:",
            "tileloadd tmm2, [{a} + {one}]",
            "tileloadd tmm3, [{b} + {two}]",
            "prefetcht0 [{a} + 2048]",
            "prefetcht0 [{a} + 2112]",
            "prefetcht0 [{a} + 2176]",
            "prefetcht0 [{a} + 2240]",
            "prefetcht0 [{a} + 2304]",
            "prefetcht0 [{a} + 2368]",
            "prefetcht0 [{a} + 2432]",
            "prefetcht0 [{a} + 2496]",
            "tdpbssd tmm0, tmm2, tmm3",
            "tileloadd tmm3, [{b} + {two} + 64]",
            "prefetcht0 [{a} + 2560]",
            "prefetcht0 [{a} + 2624]",
            "prefetcht0 [{a} + 2688]",
            "prefetcht0 [{a} + 2752]",
            "prefetcht0 [{a} + 2816]",
            "prefetcht0 [{a} + 2880]",
            "prefetcht0 [{a} + 2944]",
            "prefetcht0 [{a} + 3008]",
            "tdpbssd tmm1, tmm2, tmm3",
            "add {a}, 1024",
            "add {b}, 2048",
            "dec {step}",
            "jnz 2b",
            "tilestored [{sums} + {two}], tmm0",
            "tilestored [{sums} + {two} + 64], tmm1",
            "add {sums}, 2048",
            "dec {blocks}",
            "jnz 3b",
            "tilerelease",
            configuration = in(reg) &CONFIGURATION,
            a = inout(reg) a.as_ptr() => _,
            b = out(reg) _,
            first = in(reg) b.as_ptr(),
            step = out(reg) _,
            steps = in(reg) steps,
            sums = inout(reg) sums.as_mut_ptr() => _,
            blocks = inout(reg) blocks => _,
            more = in(reg) u32::from(more),
            one = in(reg) 64usize,
            two = in(reg) size_of::<[i32; COLS]>(),
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack)
        );
    }
}
