//! What a value looks like: as random as a secret, or a word, a path, a hash, an example.

/// How many bits a byte of a text tells, by how often each occurs in it (Shannon). The most a text of n bytes can have
/// is log2 n.
pub(super) fn entropy(text: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text {
        counts[usize::from(*byte)] += 1;
    }
    let all = f64::from(u32::try_from(text.len()).unwrap_or(u32::MAX));
    let share = |count: &u32| f64::from(*count) / all;
    -counts.iter().filter(|count| **count > 0).map(share).map(|share| share * share.log2()).sum::<f64>()
}

/// Whether it says itself that it is an example, as `AKIAIOSFODNN7EXAMPLE` does.
pub(super) fn is_example(value: &[u8]) -> bool {
    contains_any(&lower(value), &["example", "xxxxxxxx", "........", "placeholder"])
}

/// Words that stand where a secret is to be put in.
const PLACEHOLDERS: &[&str] = &[
    "example",
    "sample",
    "placeholder",
    "change",
    "your",
    "dummy",
    "fake",
    "test",
    "mock",
    "xxxx",
    "1234567",
    "abcdef",
    "replace",
    "todo",
    "redacted",
    "insert",
    "undefined",
    "secret",
    "password",
    "passwd",
    "token",
    "key",
    "user",
    "none",
    "null",
    "true",
    "false",
    "default",
    "....",
    "****",
    "----",
    "____",
    "====",
    "0000",
];

/// Passwords that are there to be read.
const PLAIN: &[&str] = &[
    "password",
    "passwd",
    "pass",
    "pwd",
    "secret",
    "user",
    "username",
    "test",
    "testing",
    "guest",
    "admin",
    "root",
    "postgres",
    "mysql",
    "redis",
    "mongo",
    "example",
    "changeme",
    "token",
    "login",
    "none",
    "null",
    "hunter2",
    "tiger",
    "anonymous",
    "anoncvs",
    "nopassword",
    "x-oauth-basic",
    "x-access-token",
];

/// Whether the password of a URL is one. `url` is what was matched of the URL.
pub(super) fn is_url_password(password: &[u8], url: &[u8]) -> bool {
    let before = memchr::memmem::rfind(url, password).and_then(|at| url.get(..at.checked_sub(1)?));
    let is_before_user = |byte: &u8| b"/=@\"' ".contains(byte);
    let user = lower(before.unwrap_or_default().rsplit(is_before_user).next().unwrap_or_default());
    let password = lower(password);
    let is_template = password.iter().any(|byte| b"${}<>%*[]()|`".contains(byte)) && {
        // A password may hold such signs; a template begins with one.
        password.first().is_some_and(|first| b"${<%*[(".contains(first))
    };
    // `cvs://:pserver:anoncvs@`: the method stands before it.
    let last = password.rsplit(|byte| *byte == b':').next().unwrap_or_default();
    let plain = PLAIN.iter().any(|plain| plain.as_bytes() == last);
    let is_example =
        contains_any(&password, &["xxxx", "****", "....", "example", "your", "change", "placeholder"]);
    !is_template && !plain && !is_example && password != user && password.len() >= 4 && !all_same(&password)
}

/// A value behind a name that says it is a secret.
pub(super) struct Assigned<'t> {
    /// The value, without quotes.
    pub(super) value: &'t [u8],
    /// What the name goes on with behind the word.
    pub(super) tail: &'t [u8],
    /// Whether it stands in quotes.
    pub(super) is_quoted: bool,
    /// The byte behind it.
    pub(super) next: Option<u8>,
}

/// Ends of a name that make it one of something else: `token_url`, `secret_name`.
const OTHER_NAMES: &[&str] = &[
    "hash",
    "sha",
    "md5",
    "digest",
    "checksum",
    "fingerprint",
    "id",
    "ids",
    "name",
    "path",
    "file",
    "url",
    "uri",
    "type",
    "field",
    "length",
    "len",
    "size",
    "count",
    "header",
    "expire",
    "expiry",
    "ttl",
    "limit",
    "ref",
    "arn",
    "version",
    "prefix",
    "suffix",
    "regex",
    "pattern",
    "label",
    "env",
    "var",
    "class",
    "kind",
    "list",
    "index",
    "algorithm",
    "alg",
    "provider",
    "manager",
    "store",
    "format",
    "public",
    "pub",
    "uuid",
    "guid",
    "date",
    "time",
];

/// Whether a value that only its name betrays is a secret.
pub(super) fn is_assigned(assigned: &Assigned<'_>) -> bool {
    let Assigned { value, is_quoted, next, .. } = assigned;
    let ends = match next {
        None => true,
        Some(next) if *is_quoted => b"\"'`\\".contains(next),
        Some(next) => next.is_ascii_whitespace() || b",;'\"`}<".contains(next),
    };
    if !ends || is_other_name(assigned.tail) {
        return false;
    }
    // A secret of Base64 may end in `=`; what is looked at is what stands before.
    let core = trim_end(value, b"=");
    let low = lower(core);
    if contains_any(&low, PLACEHOLDERS) || is_uuid(core) || is_place(core) || is_code(core) || all_same(core)
    {
        return false;
    }
    let digits = core.iter().filter(|byte| byte.is_ascii_digit()).count();
    let uppers = core.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    let lowers = core.iter().filter(|byte| byte.is_ascii_lowercase()).count();
    let letters = uppers + lowers;
    let others = core.len() - digits - letters;
    if core.iter().all(u8::is_ascii_hexdigit) {
        // Of a hash the name says that it is one; a key of these lengths has no other form.
        return core.len() >= 32 && digits >= 4 && letters >= 4 && entropy(core) >= 3.0;
    }
    // Of sixteen random letters and digits one in fifteen has a single digit.
    let is_long_mix = core.len() >= 16 && digits >= 1 && uppers >= 3 && lowers >= 3;
    let is_mixed =
        is_long_mix || digits >= 2 && letters >= 4 && (uppers > 0 && lowers > 0 || others > 0 || digits >= 4);
    let needed = match core.len() {
        ..=15 => 3.3,
        16..=23 => 3.5,
        _ => 3.8,
    };
    let is_plain_word = is_words(core);
    let is_random = digits >= 4 || uppers > 0 && lowers > 0 && digits >= 2;
    is_mixed && !is_plain_word && (*is_quoted || is_random) && entropy(core) >= needed
}

/// Whether the rest of a name says that it isn't the secret itself.
fn is_other_name(tail: &[u8]) -> bool {
    let tail = lower(tail);
    let mut words = tail.split(|byte| !byte.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    words.any(|word| {
        OTHER_NAMES.iter().any(|other| {
            let other = other.as_bytes();
            // `tokenUrl` has no sign between its words.
            word == other || word == [other, b"s"].concat() || (other.len() > 3 && word.ends_with(other))
        })
    })
}

/// `123e4567-e89b-12d3-a456-426614174000`
fn is_uuid(value: &[u8]) -> bool {
    let groups: Vec<_> = value.split(|byte| *byte == b'-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.iter().all(u8::is_ascii_hexdigit))
}

/// A path, a URL, a mail address, a host.
fn is_place(value: &[u8]) -> bool {
    let slashes = value.iter().filter(|byte| **byte == b'/').count();
    let starts = [&b"/"[..], b"./", b"../", b"~/", b"$", b"@", b"#", b"%", b"&", b"*", b"-", b"."];
    let words = |text: &[u8]| text.split(|byte| b"/._-".contains(byte)).filter(|part| part.len() > 2).count();
    starts.iter().any(|start| value.starts_with(start))
        || memchr::memmem::find(value, b"://").is_some()
        || (slashes >= 2 && words(value) >= 3 && longest_part(value) <= 16)
}

/// The length of the longest run of letters and digits.
fn longest_part(value: &[u8]) -> usize {
    value.split(|byte| !byte.is_ascii_alphanumeric()).map(<[u8]>::len).max().unwrap_or(0)
}

/// Names with dots between, as `config.auth.token2`; comparisons; numbers.
fn is_code(value: &[u8]) -> bool {
    let is_name = |part: &[u8]| {
        part.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
            && part.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            && is_words(part)
    };
    let parts: Vec<_> = value.split(|byte| *byte == b'.').collect();
    (parts.len() > 1 && parts.iter().all(|part| is_name(part)))
        || value.iter().all(|byte| byte.is_ascii_digit() || b".-_:+".contains(byte))
}

/// Whether it is made of words: pieces between `_`, `-`, `.`, `/`, digits and capitals that could be spoken.
fn is_words(value: &[u8]) -> bool {
    let mut pieces: Vec<&[u8]> = Vec::new();
    let mut start = 0;
    for at in 1..=value.len() {
        let (Some(before), after) = (value.get(at - 1), value.get(at)) else { continue };
        let breaks = match after {
            None => true,
            Some(after) => {
                !after.is_ascii_alphabetic()
                    || !before.is_ascii_alphabetic()
                    || (before.is_ascii_lowercase() && after.is_ascii_uppercase())
            }
        };
        if breaks {
            pieces.push(value.get(start..at).unwrap_or_default());
            start = at;
        }
    }
    let letters: Vec<&[u8]> =
        pieces.into_iter().filter(|piece| piece.first().is_some_and(u8::is_ascii_alphabetic)).collect();
    let all: usize = letters.iter().map(|piece| piece.len()).sum();
    let spoken: usize = letters.iter().filter(|piece| is_spoken(piece)).map(|piece| piece.len()).sum();
    // Nearly all of it in words of three signs or more.
    all > 0 && spoken * 10 >= all * 8
}

/// Three letters or more, of one case but for the first, a vowel among them, and no five consonants in a row.
fn is_spoken(piece: &[u8]) -> bool {
    let vowel = |byte: &u8| b"aeiouyAEIOUY".contains(byte);
    let rest = piece.get(1..).unwrap_or_default();
    let one_case = rest.iter().all(u8::is_ascii_lowercase) || piece.iter().all(u8::is_ascii_uppercase);
    piece.len() >= 3
        && one_case
        && piece.iter().any(vowel)
        && piece.split(vowel).all(|consonants| consonants.len() < 5)
}

fn all_same(value: &[u8]) -> bool {
    value.windows(2).all(|pair| pair.first() == pair.get(1))
}

fn trim_end<'v>(value: &'v [u8], signs: &[u8]) -> &'v [u8] {
    let end = value.iter().rposition(|byte| !signs.contains(byte)).map_or(0, |last| last + 1);
    value.get(..end).unwrap_or_default()
}

fn lower(text: &[u8]) -> Vec<u8> {
    text.to_ascii_lowercase()
}

fn contains_any(text: &[u8], words: &[&str]) -> bool {
    words.iter().any(|word| memchr::memmem::find(text, word.as_bytes()).is_some())
}
