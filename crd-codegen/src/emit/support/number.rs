/// Numbers as the API server writes them: without a fraction where they have none.
pub(crate) mod number {
    use std::collections::{BTreeMap, HashMap};

    use serde::{Serialize, Serializer};

    /// Serializes the numbers in a field.
    pub(crate) fn serialize<T: Numbers, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        value.write(serializer)
    }

    pub(crate) trait Numbers {
        fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
    }

    struct Written<'a, T>(&'a T);

    impl<T: Numbers> Serialize for Written<'_, T> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            self.0.write(serializer)
        }
    }

    impl Numbers for f64 {
        fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            // Whole numbers that fit are `int64`s to the API server.
            const LIMIT: f64 = 9_223_372_036_854_775_808.0;
            if self.fract() == 0.0 && (-LIMIT..LIMIT).contains(self) {
                serializer.serialize_i64(*self as i64)
            } else {
                serializer.serialize_f64(*self)
            }
        }
    }

    impl<T: Numbers> Numbers for &T {
        fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            (**self).write(serializer)
        }
    }

    impl<T: Numbers> Numbers for Option<T> {
        fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            match self {
                Some(value) => serializer.serialize_some(&Written(value)),
                None => serializer.serialize_none(),
            }
        }
    }

    impl<T: Numbers> Numbers for Vec<T> {
        fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq(self.iter().map(Written))
        }
    }

    impl<T: Numbers> Numbers for BTreeMap<String, T> {
        fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map(self.iter().map(|(key, value)| (key, Written(value))))
        }
    }

    impl<T: Numbers> Numbers for HashMap<String, T> {
        fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map(self.iter().map(|(key, value)| (key, Written(value))))
        }
    }
}
