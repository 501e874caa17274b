//! The one way to build options: the default, changed field by field.

/// For each named field, a method of that name that sets it and returns the options:
/// `Options::default().seed(3).proven(true)`.
///
/// Options are `#[non_exhaustive]`, so that a new field breaks no caller; outside this crate they are built by
/// `default()` followed by these methods, or by setting their public fields. `impl Into<Option<T>>` accepts a value as
/// well as `None`.
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
