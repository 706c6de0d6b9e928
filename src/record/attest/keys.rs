//! Ed25519 keys in PEM: PKCS #8 (RFC 8410) to sign, SubjectPublicKeyInfo to check. `openssl genpkey -algorithm ed25519`
//! and `openssl pkey -pubout` write them.

use std::fmt;

use ed25519_dalek::pkcs8::{DecodePrivateKey, DecodePublicKey, EncodePublicKey};
use ed25519_dalek::{Signature, Signer};

use crate::digest::Sha256;

/// Why a key can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it is no {wanted} in PEM: {why}; {way_out}")]
pub struct KeyError {
    wanted: &'static str,
    why: String,
    way_out: &'static str,
}

/// A private key.
pub struct SigningKey {
    key: ed25519_dalek::SigningKey,
    id: String,
}

/// A public key.
#[derive(Debug, Clone)]
pub struct VerifyingKey {
    key: ed25519_dalek::VerifyingKey,
    id: String,
}

impl SigningKey {
    /// Reads a key.
    ///
    /// # Errors
    /// It is none, of another kind, or has a passphrase.
    pub fn read(pem: &str) -> Result<Self, KeyError> {
        let wanted = "private Ed25519 key";
        let way_out = "`openssl genpkey -algorithm ed25519 -out key.pem` makes one";
        let error = |why: String| KeyError { wanted, why, way_out };
        if pem.contains("ENCRYPTED") {
            return Err(error("it has a passphrase".to_owned()));
        }
        let key = ed25519_dalek::SigningKey::from_pkcs8_pem(pem).map_err(|why| error(why.to_string()))?;
        let id = id_of(&key.verifying_key()).map_err(|why| error(why.to_string()))?;
        Ok(Self { key, id })
    }

    /// What names the key: the SHA-256 of its public half in DER.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn sign(&self, bytes: &[u8]) -> [u8; 64] {
        self.key.sign(bytes).to_bytes()
    }
}

/// The SHA-256 of a public key in DER.
fn id_of(key: &ed25519_dalek::VerifyingKey) -> Result<String, ed25519_dalek::pkcs8::spki::Error> {
    Ok(Sha256::of(key.to_public_key_der()?.as_bytes()).to_string())
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("id", &self.id).finish_non_exhaustive()
    }
}

impl VerifyingKey {
    /// Reads a key.
    ///
    /// # Errors
    /// It is none, or of another kind.
    pub fn read(pem: &str) -> Result<Self, KeyError> {
        let error = |why: ed25519_dalek::pkcs8::spki::Error| KeyError {
            wanted: "public Ed25519 key",
            why: why.to_string(),
            way_out: "`openssl pkey -in key.pem -pubout -out key.pub` makes it of the private one",
        };
        let key = ed25519_dalek::VerifyingKey::from_public_key_pem(pem).map_err(error)?;
        let id = id_of(&key).map_err(error)?;
        Ok(Self { key, id })
    }

    /// What names the key.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Whether this is its signature of these bytes; keys and signatures that fit more than one message are refused.
    pub(super) fn verifies(&self, bytes: &[u8], signature: &[u8]) -> bool {
        Signature::from_slice(signature)
            .is_ok_and(|signature| self.key.verify_strict(bytes, &signature).is_ok())
    }
}
