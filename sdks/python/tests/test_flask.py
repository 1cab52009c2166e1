import base64
import hashlib
import hmac
import importlib.util
import os
import pathlib
import time
import unittest
from unittest import mock

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples/flask_app.py"
ENVIRONMENT = {
    "POSTMESH_BASE_URL": "http://127.0.0.1:1",
    "POSTMESH_API_KEY": "key",
    "POSTMESH_ACCOUNT_ID": "0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0",
    "WEBHOOK_SECRET": "em-whsec-1",
}


class FlaskExample(unittest.TestCase):
    def setUp(self):
        patch = mock.patch.dict(os.environ, ENVIRONMENT)
        patch.start()
        self.addCleanup(patch.stop)
        spec = importlib.util.spec_from_file_location("flask_app", EXAMPLE)
        self.module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.module)
        self.http = self.module.app.test_client()

    def test_sends_by_the_sdk(self):
        result = mock.Mock(data=[mock.Mock(id="<1@shop>", status="queued")])
        with mock.patch.object(self.module.postmesh.messages, "send", return_value=result) as send:
            response = self.http.post("/orders/17/mail", json={"email": "ann@example.net"})
        self.assertEqual((response.status_code, response.json["id"]), (202, "<1@shop>"))
        self.assertEqual(send.call_args.kwargs["idempotency_key"], "order-17")

    def test_takes_a_signed_call_and_no_other(self):
        body, timestamp = b'{"type":"message.new_kind"}', str(int(time.time()))
        digest = hmac.new(b"em-whsec-1", b"msg_1." + timestamp.encode() + b"." + body, hashlib.sha256).digest()
        headers = {
            "webhook-id": "msg_1",
            "webhook-timestamp": timestamp,
            "webhook-signature": "v1," + base64.b64encode(digest).decode(),
        }
        self.assertEqual(self.http.post("/webhooks/postmesh", data=body, headers=headers).status_code, 204)
        self.assertEqual(self.http.post("/webhooks/postmesh", data=body + b" ", headers=headers).status_code, 400)
