//! The combinations of lane and sums in which lines of a matrix are kept, written down once.
//!
//! A module that keeps its lines in a generic `Coefficients<A>` asks [`engines!`] for
//!
//! - `engines!(pub(super) enum of Coefficients)`: the enumeration `Engine`, one variant for each combination;
//! - `engines!(new (lane, kind) => value)`: the variant for a [`Lane`](super::Lane) and an
//!   [`ArithmeticKind`](super::ArithmeticKind) with that value, whose arithmetic follows from its position in the list;
//! - `engines!(match engine => |c| value)`: the value for the coefficients c of whichever variant it is;
//! - `engines!(match engine, lanes => |c, x| value)`: the same with the lanes x of a block, which must be the engine's.
//!
//! Every value is compiled once for each combination: a call costs one `match`.

/// A query, and the list that answers it.
macro_rules! engines {
    ($($what:tt)*) => {
        $crate::spmv::engines::engines_of! { [$($what)*]
            NarrowU8, Narrow<u8, i8>, U8, Narrow;
            NarrowU16, Narrow<u16, i16>, U16, Narrow;
            WideU16, Wide<u16, i16>, U16, Wide;
            WideU32, Wide<u32, i32>, U32, Wide;
            SplitU32, Split, U32, Split;
            LongU64, Long, U64, Long;
        }
    };
}

/// What is asked for of a list of variants, each with its arithmetic, its lane and its kind of sums.
macro_rules! engines_of {
    ([$visible:vis enum of $coefficients:ident] $($name:ident, $arithmetic:ty, $lane:ident, $kind:ident;)*) => {
        #[derive(Debug)]
        $visible enum Engine {
            $($name($coefficients<$arithmetic>),)*
        }
    };
    ([new ($by_lane:expr, $by_kind:expr) => $value:expr] $($name:ident, $arithmetic:ty, $lane:ident, $kind:ident;)*) => {
        match ($by_lane, $by_kind) {
            $((Lane::$lane, ArithmeticKind::$kind) => Engine::$name($value),)*
            (lane, kind) => unreachable!("{kind:?} sums over {lane:?} lanes are never chosen"),
        }
    };
    ([match $engine:expr, $lanes:expr => |$c:ident, $x:ident| $value:expr]
     $($name:ident, $arithmetic:ty, $lane:ident, $kind:ident;)*) => {
        match ($engine, $lanes) {
            $((Engine::$name($c), Lanes::$lane($x)) => $value,)*
            _ => panic!("the block's lanes are not the coefficients'"),
        }
    };
    ([match $engine:expr => |$c:ident| $value:expr] $($name:ident, $arithmetic:ty, $lane:ident, $kind:ident;)*) => {
        match $engine {
            $(Engine::$name($c) => $value,)*
        }
    };
}

pub(super) use {engines, engines_of};
