/// Bytes, in base64 on the wire.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteString(pub Vec<u8>);

impl serde::Serialize for ByteString {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = String::with_capacity(self.0.len().div_ceil(3) * 4);
        for chunk in self.0.chunks(3) {
            let [a, b, c] = [0, 1, 2].map(|i| u32::from(chunk.get(i).copied().unwrap_or(0)));
            let bits = a << 16 | b << 8 | c;
            for i in 0..4 {
                if i > chunk.len() {
                    text.push('=');
                } else {
                    text.push(char::from(Self::ALPHABET[(bits >> (18 - 6 * i) & 63) as usize]));
                }
            }
        }
        serializer.serialize_str(&text)
    }
}

impl<'de> serde::Deserialize<'de> for ByteString {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = text.trim_end_matches('=').as_bytes();
        let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
        let mut bits = 0_u32;
        for (i, digit) in digits.iter().enumerate() {
            let value = Self::ALPHABET.iter().position(|known| known == digit);
            let value = value.ok_or_else(|| serde::de::Error::custom("expected base64"))?;
            bits = bits << 6 | value as u32;
            if i % 4 > 0 {
                bytes.push((bits >> (6 - 2 * (i % 4))) as u8);
            }
        }
        Ok(Self(bytes))
    }
}

impl ByteString {
    const ALPHABET: &'static [u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
}
