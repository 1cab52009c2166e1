import asyncio
import json
import pkgutil
import unittest
from unittest import mock

import httpx

import postmesh
from postmesh import _generated, models
from postmesh._generated import api

ACCOUNT = "0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0"
BODY = {"from": {"email": "news@shop.test"}, "recipients": [{"email": "ann@mail.test"}], "subject": "Hi"}
SENT = {"object": "list", "data": []}


def answer(status, body=None, **headers):
    return lambda _: httpx.Response(status, json=body or {}, headers={k.replace("_", "-"): v for k, v in headers.items()})


def lost(_):
    raise httpx.ReadError("reset")


class Server:
    """Gives these answers, one after the other, and keeps what it was asked. The clock is ours."""

    def __init__(self, *answers):
        self.answers = answers
        self.asked = []

    def __call__(self, request):
        self.asked.append(request)
        return self.answers[min(len(self.asked), len(self.answers)) - 1](request)

    def client(self, kind=postmesh.Postmesh, **retries):
        return kind(
            base_url="https://mail.test/",
            api_key="key",
            account_id=ACCOUNT,
            retries=postmesh.Retries(**retries),
            http={"transport": httpx.MockTransport(self)},
        )

    @property
    def keys(self):
        return [request.headers.get("idempotency-key") for request in self.asked]


class Case(unittest.TestCase):
    def setUp(self):
        self.now = 0.0
        self.pauses = []

        def sleep(seconds):
            self.pauses.append(seconds)
            self.now += seconds

        async def sleep_async(seconds):
            sleep(seconds)

        for target, value in [
            ("postmesh._resource.time.sleep", sleep),
            ("postmesh._resource.asyncio.sleep", sleep_async),
            ("postmesh._retries.time.monotonic", lambda: self.now),
            ("postmesh._retries.random.random", lambda: 1.0),
        ]:
            patch = mock.patch(target, value)
            patch.start()
            self.addCleanup(patch.stop)


class Requests(Case):
    def test_has_key_account_and_the_body_as_it_was_given(self):
        server = Server(answer(202, SENT))
        result = server.client().messages.send(body={**BODY, "tipo": 1})
        self.assertEqual(result.data, [])
        [request] = server.asked
        self.assertEqual(str(request.url), f"https://mail.test/v2/accounts/{ACCOUNT}/messages")
        self.assertEqual(request.headers["authorization"], "Bearer key")
        self.assertEqual(json.loads(request.content), {**BODY, "tipo": 1})

    def test_takes_models_and_escapes_path_and_query(self):
        at = {"has_more": False, "next_cursor": None, "previous_cursor": None}
        server = Server(answer(200, {"object": "list", "data": [], "pagination": at}))
        client = server.client()
        client.messages.list(subject="a&b", limit=5)
        client.campaigns.list(status=["sent", "draft"])
        client.contacts.list_lists("a+b/c@mail.test")
        urls = [str(request.url) for request in server.asked]
        self.assertTrue(urls[0].endswith("/messages?subject=a%26b&limit=5"), urls[0])
        self.assertIn("status=sent&status=draft", urls[1])
        self.assertIn("/contacts/a%2Bb%2Fc%40mail.test/lists", urls[2])
        server = Server(answer(202, SENT))
        server.client().messages.send(body=models.MessagesSendBody.from_dict(BODY))
        self.assertEqual(json.loads(server.asked[0].content), BODY)

    def test_needs_address_key_and_account(self):
        with self.assertRaisesRegex(postmesh.PostmeshError, "account_id is missing.*POSTMESH_ACCOUNT_ID"):
            postmesh.Postmesh(base_url="https://mail.test", api_key="key")

    def test_reads_a_value_that_only_a_newer_server_knows(self):
        result = {"object": "message", "id": None, "recipient": {"email": "a@b.test", "name": ""}, "status": "new"}
        client = Server(answer(202, {"object": "list", "data": [result]})).client()
        self.assertEqual(client.messages.send(body=BODY).data[0].status, "new")

    def test_both_clients_have_every_family_of_the_document(self):
        families = {module.name for module in pkgutil.iter_modules(api.__path__)}
        self.assertGreater(len(families), 15)
        for kind in (postmesh.Postmesh, postmesh.AsyncPostmesh):
            client = Server(lost).client(kind)
            self.assertEqual({name for name in families if not hasattr(client, name)}, set())
        self.assertIn("do not edit", _generated.__doc__)


class Keys(Case):
    def test_new_for_each_call_the_same_in_its_tries_and_only_where_one_is_taken(self):
        server = Server(lost, answer(503), answer(202, SENT))
        client = server.client()
        client.messages.send(body=BODY)
        client.messages.send(body=BODY)
        server.answers = (answer(429), lost)
        with self.assertRaises(postmesh.NoResponseError):
            client.domains.check_dns("shop.test")
        first, second = server.keys[0], server.keys[3]
        self.assertRegex(first, "^[0-9a-f-]{36}$")
        self.assertEqual(server.keys[:5], [first, first, first, second, None])
        self.assertNotEqual(first, second)

    def test_of_the_caller_stays(self):
        server = Server(answer(202, SENT))
        server.client().messages.send(body=BODY, idempotency_key="order-17")
        self.assertEqual(server.keys, ["order-17"])


class RetriesOf(Case):
    def test_end_after_max_tries_with_what_was_last(self):
        server = Server(answer(503, {"message": "busy"}))
        with self.assertRaises(postmesh.ServerError) as caught:
            server.client(max_tries=3).messages.send(body=BODY)
        self.assertEqual((caught.exception.status, str(caught.exception)), (503, "busy"))
        self.assertEqual(self.pauses, [0.5, 1.0])
        with self.assertRaisesRegex(postmesh.NoResponseError, "no response after 2 tries"):
            Server(lost).client(max_tries=2).ping()

    def test_waits_double_up_to_a_bound_and_end_in_time(self):
        server = Server(lost)
        with self.assertRaises(postmesh.NoResponseError):
            server.client(max_tries=100, max_seconds=30).ping()
        self.assertEqual(self.pauses, [0.5, 1.0, 2.0, 4.0, 8.0, 8.0])

    def test_obey_retry_after_and_end_before_a_longer_wait_than_max_seconds(self):
        server = Server(answer(429, retry_after="7"), answer(202, SENT))
        server.client().messages.send(body=BODY)
        self.assertEqual(self.pauses, [7.5])
        server = Server(answer(429, retry_after="7"))
        with self.assertRaises(postmesh.RateLimitError) as caught:
            server.client(max_seconds=5).messages.send(body=BODY)
        self.assertEqual((caught.exception.retry_after, len(server.asked)), (7.0, 1))

    def test_a_post_without_a_key_is_repeated_after_429_alone(self):
        for first, count in [(lost, 1), (answer(503), 1), (answer(429), 2)]:
            server = Server(first, answer(400))
            with self.assertRaises(postmesh.PostmeshError):
                server.client().domains.check_dns("shop.test")
            self.assertEqual(len(server.asked), count)

    def test_wait_for_the_first_request_of_the_key_without_its_lease(self):
        busy = answer(409, retry_after="300", idempotent_replayed="false")
        server = Server(busy, busy, answer(202, SENT))
        server.client().messages.send(body=BODY)
        self.assertEqual(self.pauses, [0.5, 1.0])
        taken = Server(answer(409, idempotent_replayed="true"))
        with self.assertRaises(postmesh.ConflictError):
            taken.client().domains.create(body={"domain": "shop.test"})
        self.assertEqual(len(taken.asked), 1)

    def test_are_those_of_asyncio_too(self):
        server = Server(lost, answer(429, retry_after="2"), answer(202, SENT))

        async def send():
            async with server.client(postmesh.AsyncPostmesh) as client:
                return await client.messages.send(body=BODY)

        self.assertEqual(asyncio.run(send()).data, [])
        self.assertEqual(self.pauses, [0.5, 2.5])
        self.assertEqual(len(set(server.keys)), 1)


class Errors(Case):
    def test_have_a_class_for_each_status_of_the_contract(self):
        for status, kind in {
            400: postmesh.InvalidRequestError,
            401: postmesh.AuthenticationError,
            403: postmesh.PermissionDeniedError,
            404: postmesh.NotFoundError,
            405: postmesh.ApiError,
            409: postmesh.ConflictError,
            413: postmesh.InvalidRequestError,
            415: postmesh.InvalidRequestError,
            422: postmesh.IdempotencyMismatchError,
            429: postmesh.RateLimitError,
            500: postmesh.ServerError,
        }.items():
            server = Server(answer(status, {"message": "why"}, x_request_id="r-1"))
            with self.assertRaises(postmesh.ApiError) as caught:
                server.client(max_tries=1).account.get()
            error = caught.exception
            self.assertIs(type(error), kind)
            self.assertEqual((str(error), error.status, error.request_id), ("why", status, "r-1"))

    def test_name_the_scope_that_would_do_and_survive_the_page_of_a_proxy(self):
        scope = 'Bearer error="insufficient_scope", scope="domains:read"'
        with self.assertRaises(postmesh.PermissionDeniedError) as caught:
            Server(answer(403, www_authenticate=scope)).client().domains.list()
        self.assertEqual(caught.exception.required_scope, "domains:read")
        with self.assertRaisesRegex(postmesh.ServerError, "status 502"):
            Server(lambda _: httpx.Response(502, text="<html>")).client(max_tries=1).domains.list()


class Pages(Case):
    def pages(self):
        members = [{"object": "contact_list", "id": ACCOUNT, "name": str(n)} for n in range(3)]
        base = {"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"}
        rows = [{**base, "description": "", "tags": [], "contact_count": 0, **one} for one in members]

        def page(data, cursor):
            at = {"has_more": cursor is not None, "next_cursor": cursor, "previous_cursor": None}
            return answer(200, {"object": "list", "data": data, "pagination": at})

        return Server(page(rows[:2], "c1"), page(rows[2:], None))

    def test_come_as_they_are_asked_for(self):
        server = self.pages()
        names = []
        for item in postmesh.paginate(server.client().lists.list, name="n"):
            names.append(item.name)
            self.assertEqual(len(server.asked), 1 if len(names) < 3 else 2)
        self.assertEqual(names, ["0", "1", "2"])
        self.assertEqual([request.url.params.get("after") for request in server.asked], [None, "c1"])
        self.assertEqual([request.url.params.get("name") for request in server.asked], ["n", "n"])

    def test_end_when_the_list_leaves_the_cursor_out(self):
        first = self.pages().client().lists.list()
        with self.assertRaisesRegex(postmesh.PostmeshError, "the next page is the same"):
            list(postmesh.paginate(lambda **_: first))

    def test_come_by_asyncio_too(self):
        server = self.pages()

        async def walk():
            client = server.client(postmesh.AsyncPostmesh)
            return [item.name async for item in postmesh.paginate_async(client.lists.list)]

        self.assertEqual(asyncio.run(walk()), ["0", "1", "2"])


# the test vector of the contract
SECRET = "em-whsec-k3Yp9QxV2bTzR7nLw0cHdJs5GfUe8AmIk3Yp9QxV2bTzR7nLw0cHdJs5GfUe8AmI"
HEADERS = {
    "Webhook-Id": "msg_01980f3e5b7a7c11a2d40c5f9e6b8a01",
    "Webhook-Timestamp": "1767225600",
    "Webhook-Signature": "v1,9XkPJShZwm1o1G7FdG12safYE/t54k3JUCecVUmsjtw=",
}
EVENT = (
    b'{"type":"message.delivered","timestamp":"2025-12-31T23:59:59Z","webhook_id":"5d0c6c3e-2f6b-4a58-9a54-0d1f5b7c9e10",'
    b'"data":{"account_id":"0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0","event":"on_delivered","from":"news@shop.test",'
    b'"recipient":"ann@mail.test","subject":"Your order","message_id_header":"<01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01@shop.test>"'
    b',"is_bot":false,"id":"01980f3e5b7a7c11a2d40c5f9e6b8a01","delivery_attempt":{"smtp_code":250,'
    b'"enhanced_status_code":"2.0.0","response":"OK queued","command":"DATA"}}}'
)
NOW = 1767225600


class Webhooks(unittest.TestCase):
    def verify(self, **change):
        return postmesh.verify_webhook(**{"secret": SECRET, "headers": HEADERS, "body": EVENT, "now": NOW, **change})

    def test_spec_2_messages_18_rule_3_a_signed_call_is_taken(self):
        event = self.verify()
        self.assertIsInstance(event, models.MessageDeliveredEvent)
        self.assertEqual(event.data.recipient, "ann@mail.test")
        two = {**HEADERS, "Webhook-Signature": "v1,AAAA " + HEADERS["Webhook-Signature"]}
        self.assertIsInstance(self.verify(headers=two), models.MessageDeliveredEvent)

    def test_spec_2_messages_18_rule_3_any_other_is_refused(self):
        for change in [
            {"body": EVENT + b" "},
            {"secret": SECRET[9:]},
            {"secret": ""},
            {"headers": {**HEADERS, "Webhook-Id": "msg_2"}},
            {"headers": {**HEADERS, "Webhook-Signature": "v1,é"}},
            {"headers": {}},
        ]:
            with self.assertRaises(postmesh.WebhookVerificationError):
                self.verify(**change)

    def test_spec_2_messages_18_rule_11_five_minutes_and_no_more(self):
        for away in (-300, 300):
            self.verify(now=NOW + away)
        for away in (-301, 301):
            with self.assertRaisesRegex(postmesh.WebhookVerificationError, "300 seconds away"):
                self.verify(now=NOW + away)
