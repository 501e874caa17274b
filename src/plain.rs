//! Types that zeroed memory, or any bytes, are values of.

/// A struct around one value of plain numbers, zeros and any other bits being values of it, too:
/// [`Zeroable`](bytemuck::Zeroable), and with `Pod` also [`Pod`](bytemuck::Pod).
///
/// What makes these implementations sound is written down here and checked by the compiler, so that bytemuck's derive
/// macros, and the parser of Rust that they bring, are not needed.
macro_rules! plain {
    ($(#[$about:meta])* $visible:vis struct $name:ident($inside:vis $inner:ty): $($plain:ident),+) => {
        $(#[$about])*
        #[derive(Clone, Copy)]
        $visible struct $name($inside $inner);

        const _: () = assert!(size_of::<$name>() == size_of::<$inner>(), "alignment must not pad");
        $(
            // SAFETY: the only field implements the trait, by the bound, and takes all bytes of the struct, by the
            // assertion: which bits are values, and that there is no padding, is as in the field. `Copy + 'static` is
            // demanded by the trait.
            unsafe impl bytemuck::$plain for $name where $inner: bytemuck::$plain {}
        )+
    };
}
pub(crate) use plain;
