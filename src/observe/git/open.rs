//! How a repository is opened: nothing of the environment is obeyed, whoever owns it.

use std::path::{Path, PathBuf};

use gix::sec::{Permission, Trust};

use super::GitError;

/// Extensions of the repository format that change nothing about what is read here, or that `gix` knows.
const KNOWN_EXTENSIONS: [&str; 8] = [
    "noop",
    "noop-v1",
    "objectformat",
    "partialclone",
    "preciousobjects",
    "refstorage",
    "relativeworktrees",
    "worktreeconfig",
];

/// Whether this is the `.git` of a work tree. A folder of that name with nothing of git in it is passed over, as git
/// does.
pub(in crate::observe) fn is_repository(dot_git: &Path) -> Result<bool, GitError> {
    match std::fs::symlink_metadata(dot_git) {
        Ok(meta) if meta.is_dir() => {
            Ok(["HEAD", "objects", "refs"].iter().any(|name| dot_git.join(name).symlink_metadata().is_ok()))
        }
        Ok(_) => Ok(true),
        Err(error) => match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => Ok(false),
            _ => Err(GitError::new(dot_git, error.to_string())),
        },
    }
}

/// Whether a folder is itself what `.git` usually is.
pub(super) fn is_git_folder(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

/// Opens the repository of a work tree. With it comes the work tree that git would look at, when that is another.
pub(super) fn open(root: &Path) -> Result<(gix::Repository, Option<PathBuf>), GitError> {
    let repository = gix::ThreadSafeRepository::open_opts(root, options())
        .map_err(|error| GitError::caused(root, "it can't be opened", &error))?
        .to_thread_local();
    check_format(&repository, root)?;
    let work_tree = repository.workdir().ok_or_else(|| GitError::bare(root))?;
    let same = work_tree.canonicalize().is_ok_and(|found| found == root);
    let elsewhere = (!same).then(|| work_tree.to_owned());
    Ok((repository, elsewhere))
}

fn options() -> gix::open::Options {
    let mut permissions = gix::open::Permissions::all();
    permissions.env.git_prefix = Permission::Deny;
    permissions.env.objects = Permission::Deny;
    permissions.config.env = false;
    // Asking for it would start a git process.
    permissions.config.git_binary = false;
    permissions.attributes.git_binary = false;
    // A checkout that another user owns is everyday in containers. Nothing that its configuration names is ever run, so it
    // is safe to read all of it; without this, `core.worktree` and `core.excludesFile` would silently not count.
    gix::open::Options::default()
        .permissions(permissions)
        .with(Trust::Full)
        .filter_config_section(|_| true)
        .config_overrides(["core.useReplaceRefs=false"])
}

/// Refuses formats that would be misread. Git itself refuses unknown extensions from format 1 on.
fn check_format(repository: &gix::Repository, root: &Path) -> Result<(), GitError> {
    let config = repository.config_snapshot();
    let version = config.integer("core.repositoryFormatVersion").unwrap_or(0);
    if version > 1 {
        return Err(GitError::new(root, format!("repository format {version} is not known here")));
    }
    let storage = config.string("extensions.refStorage");
    if let Some(storage) = storage.filter(|storage| !storage.eq_ignore_ascii_case(b"files")) {
        let reason = format!(
            "its ref store `{storage}` is not known here; `git refs migrate --ref-format=files` makes one that is"
        );
        return Err(GitError::new(root, reason));
    }
    let sections = config.plumbing().sections_by_name("extensions").into_iter().flatten();
    for name in sections
        .flat_map(|section| section.body().value_names().map(|name| name.to_string()).collect::<Vec<_>>())
    {
        if version == 1 && !KNOWN_EXTENSIONS.contains(&name.to_ascii_lowercase().as_str()) {
            return Err(GitError::new(root, format!("its extension `{name}` is not known here")));
        }
    }
    Ok(())
}
