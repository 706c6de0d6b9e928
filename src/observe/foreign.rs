//! Files that somebody else wrote.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

/// The bytes of a file; `None`: there is none.
///
/// # Errors
/// When it can't be read, holds more bytes than `limit`, or is a folder or something without an end, which is never opened.
pub fn read(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let meta = match path.metadata() {
        Ok(meta) => meta,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    if !meta.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is not a file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::new(ErrorKind::FileTooLarge, format!("it holds more than {limit} bytes")));
    }
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        assert_eq!(read(&path, 3).unwrap(), None);
        assert_eq!(read(&path.join("below"), 3).unwrap(), None);
        std::fs::write(&path, "abc").unwrap();
        assert_eq!(read(&path, 3).unwrap().as_deref(), Some(b"abc".as_slice()));
        assert_eq!(read(&path.join("below"), 3).unwrap(), None, "a file isn't a folder");
        assert_eq!(read(&path, 2).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(read(folder.path(), 3).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
}
