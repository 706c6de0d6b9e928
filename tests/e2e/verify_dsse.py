"""Checks signed statements with securesystemslib and in-toto's own library, which know nothing of verify.

    verify_dsse.py PUBLIC_KEY STATEMENTS.intoto.jsonl

Prints the type of each statement's predicate.
"""

import json
import sys

from cryptography.hazmat.primitives.serialization import load_pem_public_key
from google.protobuf import json_format
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

with open(sys.argv[1], "rb") as file:
    public = load_pem_public_key(file.read())
with open(sys.argv[2], encoding="utf-8") as file:
    lines = file.read().splitlines()
for line in lines:
    envelope = Envelope.from_dict(json.loads(line))
    (keyid,) = envelope.signatures
    envelope.verify([SSlibKey.from_crypto(public, keyid=keyid)], 1)
    assert envelope.payload_type == "application/vnd.in-toto+json", envelope.payload_type
    statement = Statement.copy_from_pb(json_format.Parse(envelope.payload, statement_pb2.Statement()))
    statement.validate()
    print(statement.pb.predicate_type)
