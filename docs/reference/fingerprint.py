#!/usr/bin/env python3
"""The fingerprint of a file map, by its definition alone.

    fingerprint.py FOLDER            every file below a folder (`.git` left out), as if all counted
    fingerprint.py < entries.json    a list of {"kind", "path", "content"}; see fingerprint-vectors.json
    fingerprint.py --check FILE      compares each vector of a file with what is computed here

An entry is: kind, NUL, the 64 hex digits of the SHA-256 of its content, NUL, path, NUL. Entries come in order of the bytes of
their paths; those of kind `e` (environment variables: name and value) after all files. The fingerprint is the SHA-256 of all
that. That of several repositories is the SHA-256 over `id` NUL `fingerprint` NUL in order of id.
"""

import hashlib
import json
import os
import stat
import sys


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def fingerprint(entries):
    """entries: (kind, path, content), the last two in bytes."""
    digest = hashlib.sha256()
    for kind, path, content in sorted(entries, key=lambda entry: (entry[0] == "e", entry[1])):
        digest.update(b"%s\0%s\0%s\0" % (kind.encode(), sha256(content).encode(), path))
    return digest.hexdigest()


def combined(fingerprints):
    if len(fingerprints) == 1:
        return next(iter(fingerprints.values()))
    pairs = sorted((name.encode(), value.encode()) for name, value in fingerprints.items())
    return sha256(b"".join(b"%s\0%s\0" % pair for pair in pairs))


def entries_below(folder):
    for top, folders, files in os.walk(os.fsencode(folder)):
        for name in folders + files:
            path = os.path.join(top, name)
            mode = os.lstat(path).st_mode
            relative = os.path.relpath(path, os.fsencode(folder)).replace(os.sep.encode(), b"/")
            if name == b".git":
                continue
            if stat.S_ISLNK(mode):
                yield "l", relative, os.readlink(path)
            elif stat.S_ISREG(mode):
                with open(path, "rb") as file:
                    yield "x" if mode & 0o111 else "f", relative, file.read()
        folders[:] = [name for name in folders if name != b".git"]


def octets(entry, field):
    """A field in UTF-8, or in hex where its bytes are none."""
    text = entry.get(field)
    return bytes.fromhex(entry[field + "_hex"]) if text is None else text.encode()


def entries_of(vector):
    return [(entry["kind"], octets(entry, "path"), octets(entry, "content")) for entry in vector]


def check(path):
    with open(path, encoding="utf-8") as file:
        vectors = json.load(file)
    wrong = [v["name"] for v in vectors["maps"] if fingerprint(entries_of(v["entries"])) != v["fingerprint"]]
    wrong += [v["name"] for v in vectors["combined"] if combined(v["fingerprints"]) != v["fingerprint"]]
    print(f"{len(vectors['maps']) + len(vectors['combined'])} vectors, {len(wrong)} differ")
    return "\n".join(wrong) or None


if __name__ == "__main__":
    if sys.argv[1:2] == ["--check"]:
        sys.exit(check(sys.argv[2]))
    print(fingerprint(entries_below(sys.argv[1]) if sys.argv[1:] else entries_of(json.load(sys.stdin))))
