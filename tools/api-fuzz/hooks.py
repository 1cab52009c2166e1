"""What the fuzzer cannot know, and what it must leave alone so that the rest of the run still tests something."""

import os
import re
import uuid
from urllib.parse import parse_qs, unquote, urlsplit

import requests
import schemathesis
from schemathesis.transport.requests import prepare_query

OWN_KEY = os.environ["FUZZ_KEY_ID"]
SENDER = os.environ["FUZZ_SENDER"]
TEMPLATE = os.environ["FUZZ_TEMPLATE_ID"]
MESSAGE = os.environ["FUZZ_MESSAGE_ID"]
RECIPIENT = "ann@mail.test"
# characters; no text in a body is limited to fewer
SHORTEST_LIMIT = 64
ID = re.compile(r"^<?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(@[^@<>/]+)?>?$", re.IGNORECASE)


@schemathesis.hook
def before_call(context, case, kwargs):
    come_from_anywhere(case)
    spare_own_key(case)
    read_own_message(case)
    if case.meta is not None and case.meta.generation.mode.is_negative:
        leave_no_query_value_empty(case)
        case.body = count_outer_blanks(case.body)
    if case.meta is not None and case.meta.generation.mode.is_positive:
        send_from_own_domain(case)
        send_own_template(case)
        send_in_dialect(case)


def come_from_anywhere(case):
    """Requests without a key, or with a wrong one, are limited by the address that they come from."""
    headers = case.headers if case.headers is not None else {}
    headers["X-Forwarded-For"] = "10.%d.%d.%d" % tuple(uuid.uuid4().bytes[:3])
    case.headers = headers


def spare_own_key(case):
    """It finds the key that it uses in the list of keys, and would delete it or take its scopes."""
    parameters = case.path_parameters or {}
    if str(parameters.get("key_id", "")).lower() == OWN_KEY:
        parameters["key_id"] = str(uuid.uuid4())


def leave_no_query_value_empty(case):
    """An empty value counts as absent, whatever a parameter's schema says of values (spec 1-platform §1.1 rule 7)."""
    sent = requests.Request("GET", "http://localhost/", params=prepare_query(case)).prepare().url
    values = parse_qs(urlsplit(sent).query, keep_blank_values=True)
    for name in [*values, *(case.query or {})]:
        if not any(values.get(name, [])):
            case.query[name] = "*"


def count_outer_blanks(value):
    """
    Texts are trimmed before they are measured (spec 1-platform §1.2 rule 3), which no JSON schema says: what is too long
    stays too long without its outer blanks.
    """
    if isinstance(value, dict):
        return {name: count_outer_blanks(part) for name, part in value.items()}
    if isinstance(value, list):
        return [count_outer_blanks(part) for part in value]
    if isinstance(value, str) and len(value) > SHORTEST_LIMIT:
        inner = value.strip()
        before = len(value) - len(value.lstrip())
        return "*" * before + inner + "*" * (len(value) - before - len(inner))
    return value


def read_own_message(case):
    """
    The id of no other message can be guessed. What is no id at all stays: links pass on what they find. An id that the
    fuzzer has percent-encoded already counts as invalid to it, and is not.
    """
    parameters = case.path_parameters or {}
    if ID.match(unquote(str(parameters.get("message_id", "")))):
        parameters["message_id"] = MESSAGE


def send_from_own_domain(case):
    """No message is accepted from a domain whose DNS is not right."""
    sender = case.body.get("from") if isinstance(case.body, dict) else None
    if isinstance(sender, dict) and "@" in str(sender.get("email", "")):
        sender["email"] = SENDER


def send_own_template(case):
    """The id of no other template can be guessed, and one that it makes is not published."""
    if isinstance(case.body, dict) and "template_id" in case.body:
        case.body["template_id"] = TEMPLATE


# The fields that every mail of a dialect needs, by path; the document cannot say so where a template may have them.
NEEDED = {
    "/emails": {"from": SENDER, "subject": "Hi", "text": "Hi"},
    "/emails/batch": {"from": SENDER, "subject": "Hi", "text": "Hi"},
    "/email": {"To": RECIPIENT, "Subject": "Hi", "TextBody": "Hi"},
    "/email/batch": {"To": RECIPIENT, "Subject": "Hi", "TextBody": "Hi"},
    "/v3/mail/send": {"subject": "Hi", "content": [{"type": "text/plain", "value": "Hi"}]},
    "/v3/{domain}/messages": {"subject": "Hi", "text": "Hi"},
}
MAILBOXES = {"from": SENDER, "From": SENDER, "to": RECIPIENT, "To": RECIPIENT}


def send_in_dialect(case):
    """The same in the dialects of other services, whose senders are texts."""
    parameters = case.path_parameters or {}
    if "domain" in parameters and case.operation.path.startswith("/v3/{domain}"):
        parameters["domain"] = SENDER.split("@")[1]
    needed = NEEDED.get(case.operation.path)
    if needed is None:
        return
    for one in case.body if isinstance(case.body, list) else [case.body]:
        if not isinstance(one, dict):
            continue
        for name, value in needed.items():
            one.setdefault(name, value)
        for name, value in MAILBOXES.items():
            if name in one:
                one[name] = {"email": value} if isinstance(one[name], dict) else value
        for each in one.get("personalizations") or []:
            if isinstance(each, dict) and "to" in each:
                each["to"] = [{"email": RECIPIENT}]
