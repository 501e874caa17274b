//! The shape of a launch.

/// The size of a launch, and the arguments that are numbers.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// Blocks in both directions of the grid.
    pub blocks: (u32, u32),
    /// Threads of a block.
    pub threads: u32,
    /// 64-bit words that the kernel writes.
    pub words: usize,
    /// Its last arguments.
    pub numbers: &'a [u32],
}
