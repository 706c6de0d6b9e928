//! Files outside of the state folder that others read: there whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

/// Writes a file, and the folders that it lies in. Its old bytes or its new ones are there at any instant.
///
/// # Errors
/// When a folder can't be made, or the file can't be written; its old bytes are there then.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = staging().tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|failed| failed.error)?;
    // Elsewhere a folder can't be opened as a file, and names are written with the file.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Temporary files are for their owner alone; this one is to be read by others.
fn staging() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".verify-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b.json");
        for text in ["one", "two"] {
            write_whole(&path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(folder.path().join("a")).unwrap().count(), 1);
        assert!(write_whole(&folder.path().join("a"), b"x").is_err(), "a folder is in its place");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "what was staged is gone");
    }

    #[test]
    fn who_reads_meanwhile_reads_the_old_bytes_to_their_end() {
        use std::io::Read as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        write_whole(&path, b"old").unwrap();
        let mut reader = File::open(&path).unwrap();
        write_whole(&path, b"new and longer").unwrap();
        let mut read = String::new();
        reader.read_to_string(&mut read).unwrap();
        assert_eq!(read, "old");
        assert_eq!(fs::read(&path).unwrap(), b"new and longer");
    }

    #[cfg(unix)]
    #[test]
    fn others_may_read_it() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        fs::write(folder.path().join("plain"), "").unwrap();
        write_whole(&path, b"").unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&folder.path().join("plain")));
    }
}
