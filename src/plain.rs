//! Types for which zeroed memory, or any bytes, are valid values.

/// A struct around one value of plain numbers, for which zeros or any other bits are valid: implements
/// [`Zeroable`](bytemuck::Zeroable), and with `Pod` also [`Pod`](bytemuck::Pod).
///
/// The conditions that make these implementations sound are stated here and checked by the compiler, so that bytemuck's
/// derive macros, and the Rust parser that they bring in, are not needed.
macro_rules! plain {
    ($(#[$about:meta])* $visible:vis struct $name:ident($inside:vis $inner:ty): $($plain:ident),+) => {
        $(#[$about])*
        #[derive(Clone, Copy)]
        $visible struct $name($inside $inner);

        const _: () = assert!(size_of::<$name>() == size_of::<$inner>(), "alignment must not pad");
        $(
            // SAFETY: the only field implements the trait, by the bound, and occupies all bytes of the struct, by the
            // assertion: the struct has no padding, and its valid bit patterns are those of the field. The trait
            // demands `Copy + 'static`.
            unsafe impl bytemuck::$plain for $name where $inner: bytemuck::$plain {}
        )+
    };
}
pub(crate) use plain;
