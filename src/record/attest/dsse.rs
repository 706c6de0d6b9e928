//! DSSE, the envelope around a signed payload: <https://github.com/secure-systems-lab/dsse>, version 1.0.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::keys::{SigningKey, VerifyingKey};

/// The type of a payload that is an in-toto statement.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// A payload with its signatures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Envelope {
    /// The payload in Base64.
    pub payload: String,
    /// What it is.
    pub payload_type: String,
    /// One for each key.
    pub signatures: Vec<Signature>,
}

/// The signature of one key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signature {
    /// Which key.
    pub keyid: String,
    /// The signature in Base64.
    pub sig: String,
}

/// Why an envelope can't be opened.
#[derive(Debug)]
pub(super) enum OpenError {
    Malformed(String),
    Signature,
}

impl Envelope {
    /// A payload, signed.
    pub(super) fn sign(key: &SigningKey, payload: &[u8]) -> Self {
        let sig = STANDARD.encode(key.sign(&to_be_signed(PAYLOAD_TYPE, payload)));
        Self {
            payload: STANDARD.encode(payload),
            payload_type: PAYLOAD_TYPE.to_owned(),
            signatures: vec![Signature { keyid: key.id().to_owned(), sig }],
        }
    }

    /// The payload, when this key signed it.
    pub(super) fn open(&self, key: &VerifyingKey) -> Result<Vec<u8>, OpenError> {
        if self.payload_type != PAYLOAD_TYPE {
            return Err(OpenError::Malformed(format!("its payload is `{}`", self.payload_type)));
        }
        let decode = |text: &str| STANDARD.decode(text).map_err(|why| OpenError::Malformed(why.to_string()));
        let payload = decode(&self.payload)?;
        let signed = to_be_signed(&self.payload_type, &payload);
        for signature in &self.signatures {
            if signature.keyid == key.id() && key.verifies(&signed, &decode(&signature.sig)?) {
                return Ok(payload);
            }
        }
        Err(OpenError::Signature)
    }
}

/// The bytes that are signed (the protocol's pre-authentication encoding): type and payload, each with its length, so
/// that neither can be taken for a part of the other.
fn to_be_signed(kind: &str, payload: &[u8]) -> Vec<u8> {
    let mut bytes = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len()).into_bytes();
    bytes.extend_from_slice(payload);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    // The example of the protocol's description.
    #[test]
    fn what_is_signed_is_what_the_protocol_says() {
        let bytes = to_be_signed("http://example.com/HelloWorld", b"hello world");
        assert_eq!(bytes, b"DSSEv1 29 http://example.com/HelloWorld 11 hello world");
    }
}
