//! Parameters of kernels and the arguments for them.

use super::buffer::{Buffer, Word};
use super::launch::{In, Out};
use cudarc::driver::{LaunchArgs, PushKernelArg};

mod sealed {
    pub trait Sealed {}
}

/// A parameter of a kernel.
pub trait Parameter: sealed::Sealed {
    /// The type of its argument.
    type Argument<'a>;
    /// Passes the argument.
    #[doc(hidden)]
    fn push<'l>(argument: &'l mut Self::Argument<'_>, launch: &mut LaunchArgs<'l>);
}

/// The parameters of a kernel, in order: a tuple.
pub trait Signature: sealed::Sealed {
    /// The types of their arguments.
    type Arguments<'a>;
    /// Passes the arguments.
    #[doc(hidden)]
    fn push<'l>(arguments: &'l mut Self::Arguments<'_>, launch: &mut LaunchArgs<'l>);
}

impl<T: Word> sealed::Sealed for In<T> {}
impl<T: Word + 'static> Parameter for In<T> {
    type Argument<'a> = &'a Buffer<T>;
    fn push<'l>(argument: &'l mut &Buffer<T>, launch: &mut LaunchArgs<'l>) {
        launch.arg(&argument.slice);
    }
}

impl<T: Word> sealed::Sealed for Out<T> {}
impl<T: Word + 'static> Parameter for Out<T> {
    type Argument<'a> = &'a mut Buffer<T>;
    fn push<'l>(argument: &'l mut &mut Buffer<T>, launch: &mut LaunchArgs<'l>) {
        launch.arg(&mut argument.slice);
    }
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl sealed::Sealed for $number {}
        impl Parameter for $number {
            type Argument<'a> = $number;
            fn push<'l>(argument: &'l mut $number, launch: &mut LaunchArgs<'l>) {
                launch.arg(&*argument);
            }
        }
    )*};
}
numbers!(u32 u64 f64);

macro_rules! signatures {
    ($($($name:ident)*;)*) => {$(
        impl<$($name: Parameter),*> sealed::Sealed for ($($name,)*) {}
        impl<$($name: Parameter),*> Signature for ($($name,)*) {
            type Arguments<'a> = ($($name::Argument<'a>,)*);
            #[allow(non_snake_case, reason = "an argument is named as its type")]
            fn push<'l>(($($name,)*): &'l mut Self::Arguments<'_>, launch: &mut LaunchArgs<'l>) {
                $($name::push($name, launch);)*
            }
        }
    )*};
}
signatures! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
    A B C D E F G H I;
    A B C D E F G H I J;
    A B C D E F G H I J K;
    A B C D E F G H I J K L;
    A B C D E F G H I J K L M;
}
