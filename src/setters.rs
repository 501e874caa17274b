//! One way to make options: the default, changed field by field.

/// For each field named, a method of its name that sets it and hands the options on:
/// `Options::default().seed(3).proven(true)`.
///
/// Options are `#[non_exhaustive]`, so that a field more breaks no caller; outside of this crate they are made by
/// `default()` and then these methods, or by setting their public fields. `impl Into<Option<T>>` takes a value as well
/// as `None`.
macro_rules! setters {
    ($options:ty { $($field:ident: $type:ty),+ $(,)? }) => {
        impl $options {
            $(
                #[doc = concat!("Sets the field [`", stringify!($field), "`](#structfield.", stringify!($field), ").")]
                #[must_use]
                pub fn $field(mut self, $field: $type) -> Self {
                    self.$field = $field.into();
                    self
                }
            )+
        }
    };
}
pub(crate) use setters;
