//! `maps/<sha256>.json`: a file map. Rows, not objects, since 100,000 of them are everyday.

use std::borrow::Cow;
use std::fmt;

use bstr::ByteSlice;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::ser::{SerializeSeq, SerializeStruct};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::path::{hex, unhex};
use super::tag;
use crate::digest::Sha256;
use crate::observe::facts::{Entry, EntryKind, FileMap};

/// A file map as a document: `{"schema":…,"files":[[kind, mode, sha256, path]…]}`.
///
/// A row whose path isn't UTF-8 has a fifth element, the path's bytes in hex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files(pub FileMap);

impl Files {
    /// Writes a file map without making a copy of it first.
    ///
    /// # Errors
    /// When a value has no JSON; none here.
    pub fn to_json(map: &FileMap) -> Result<Vec<u8>, serde_json::Error> {
        super::write(&Borrowed(map))
    }
}

struct Borrowed<'a>(&'a FileMap);

impl Serialize for Files {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Borrowed(&self.0).serialize(to)
    }
}

impl Serialize for Borrowed<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut document = to.serialize_struct("Files", 2)?;
        document.serialize_field("schema", &tag::Files::V1)?;
        document.serialize_field("files", &Rows(self.0.entries()))?;
        document.end()
    }
}

struct Rows<'a>(&'a [Entry]);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.iter().map(RowOut))
    }
}

struct RowOut<'a>(&'a Entry);

impl Serialize for RowOut<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Entry { path, kind, mode, sha256 } = self.0;
        let text = path.to_str().ok();
        let digits = sha256.hex();
        let mut row = to.serialize_seq(Some(4 + usize::from(text.is_none())))?;
        row.serialize_element(&char::from(kind.letter()))?;
        row.serialize_element(mode)?;
        row.serialize_element(std::str::from_utf8(&digits).unwrap_or_default())?;
        match text {
            Some(text) => row.serialize_element(text)?,
            None => {
                row.serialize_element(&path.to_str_lossy())?;
                row.serialize_element(&hex(path))?;
            }
        }
        row.end()
    }
}

impl<'de> Deserialize<'de> for Files {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Document {
            #[serde(rename = "schema")]
            _schema: tag::Files,
            files: Vec<RowIn>,
        }
        let document = Document::deserialize(from)?;
        let count = document.files.len();
        let map = FileMap::new(document.files.into_iter().map(|row| row.0).collect());
        if map.entries().len() != count {
            return Err(D::Error::custom("a path stands in it twice"));
        }
        Ok(Self(map))
    }
}

struct RowIn(Entry);

impl<'de> Deserialize<'de> for RowIn {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(RowVisitor)
    }
}

struct RowVisitor;

impl<'de> Visitor<'de> for RowVisitor {
    type Value = RowIn;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[kind, mode, sha256, path]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut row: A) -> Result<RowIn, A::Error> {
        let missing = || A::Error::custom("a row has fewer than four elements");
        let kind: char = row.next_element()?.ok_or_else(missing)?;
        let kind = u8::try_from(kind).ok().and_then(EntryKind::of_letter);
        let kind = kind.ok_or_else(|| A::Error::custom("a row's kind is none of f, x, l, s"))?;
        let mode = row.next_element()?.ok_or_else(missing)?;
        let sha256: Text<'_> = row.next_element()?.ok_or_else(missing)?;
        let sha256: Sha256 = sha256.0.parse().map_err(A::Error::custom)?;
        let path: Text<'_> = row.next_element()?.ok_or_else(missing)?;
        let path = match row.next_element::<Text<'_>>()? {
            Some(hex) => unhex(&hex.0).ok_or_else(|| A::Error::custom("a row's hex path is none"))?,
            None => path.0.as_ref().into(),
        };
        Ok(RowIn(Entry { path, kind, mode, sha256 }))
    }
}

/// A string that is borrowed from the input wherever it holds no escape.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl JsonSchema for Files {
    fn schema_name() -> Cow<'static, str> {
        "Files".into()
    }

    fn json_schema(schemas: &mut SchemaGenerator) -> Schema {
        let sha256 = schemas.subschema_for::<Sha256>();
        let schema = schemas.subschema_for::<tag::Files>();
        json_schema!({
            "description": "A file map.",
            "type": "object",
            "required": ["schema", "files"],
            "properties": {
                "schema": schema,
                "files": {
                    "description": "The files in order of their paths' bytes.",
                    "type": "array",
                    "items": {
                        "description": "Kind, permission bits, hash of the content, path; for a path that isn't UTF-8 also its bytes in hex.",
                        "type": "array",
                        "minItems": 4,
                        "maxItems": 5,
                        "prefixItems": [
                            { "enum": ["f", "x", "l", "s"] },
                            { "type": "integer", "minimum": 0 },
                            sha256,
                            { "type": "string" },
                            { "type": "string", "pattern": "^([0-9a-f]{2})*$" }
                        ]
                    }
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::wire::{ReadError, read};

    fn map() -> FileMap {
        let entry =
            |path: &[u8], kind, mode| Entry { path: path.into(), kind, mode, sha256: Sha256::of(path) };
        FileMap::new(vec![
            entry(b"src/a.py", EntryKind::File, 0o644),
            entry(b"a \"quoted\"\n", EntryKind::Executable, 0o755),
            entry(b"bad\xff", EntryKind::Link, 0o777),
            entry("ü".as_bytes(), EntryKind::Submodule, 0),
        ])
    }

    #[test]
    fn a_map_comes_back() {
        let json = Files::to_json(&map()).unwrap();
        assert_eq!(read::<Files>(&json).unwrap(), Files(map()));
    }

    #[test]
    fn rows_are_compact() {
        let one = FileMap::new(vec![Entry {
            path: "a".into(),
            kind: EntryKind::File,
            mode: 0o644,
            sha256: Sha256::of(b""),
        }]);
        let want = format!(
            "{{\"schema\":\"redgreen/files/1\",\"files\":[[\"f\",420,\"{}\",\"a\"]]}}\n",
            Sha256::of(b"")
        );
        assert_eq!(String::from_utf8(Files::to_json(&one).unwrap()).unwrap(), want);
    }

    #[track_caller]
    fn broken(rows: &str) {
        let json = format!(r#"{{"schema":"redgreen/files/1","files":[{rows}]}}"#);
        assert!(matches!(read::<Files>(json.as_bytes()), Err(ReadError::Broken { .. })), "{rows}");
    }

    #[test]
    fn broken_rows_are_refused() {
        let sha = Sha256::of(b"");
        broken("[]");
        broken(&format!(r#"["f",420,"{sha}"]"#));
        broken(&format!(r#"["d",420,"{sha}","a"]"#));
        broken(r#"["f",420,"e3b0","a"]"#);
        broken(&format!(r#"["f",420,"{sha}","a","f"]"#));
        broken(&format!(r#"["f",420,"{sha}","a"],["f",420,"{sha}","a"]"#));
    }
}
