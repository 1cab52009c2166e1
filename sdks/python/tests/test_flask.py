import base64
import hashlib
import hmac
import importlib.util
import os
import pathlib
import time
import unittest
from unittest import mock

from flask import Flask
from flask_mailman import EmailMultiAlternatives, Mail

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples/flask_app.py"
ENVIRONMENT = {
    "POSTMESH_BASE_URL": "http://127.0.0.1:1",
    "POSTMESH_API_KEY": "key",
    "POSTMESH_ACCOUNT_ID": "0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0",
    "WEBHOOK_SECRET": "em-whsec-1",
}


class FlaskMailman(unittest.TestCase):
    def test_sends_by_the_backend_with_the_settings_of_the_application(self):
        app = Flask("shop")
        settings = {name: value for name, value in ENVIRONMENT.items() if name.startswith("POSTMESH_")}
        app.config.update(settings, MAIL_BACKEND="postmesh.flask")
        Mail(app)
        with app.app_context(), mock.patch("postmesh._mail.Postmesh") as client:
            send = client.return_value.messages.send_conversation
            send.return_value = mock.Mock(data=[mock.Mock(status="queued")])
            message = EmailMultiAlternatives("Hi", "text", "Shop <news@shop.test>", ["ann@mail.test"])
            message.attach_alternative("<b>Hi</b>", "text/html")
            message.attach("a.txt", "text", "text/plain")
            self.assertEqual(message.send(), 1)
        self.assertEqual(
            client.call_args.kwargs,
            {
                "base_url": "http://127.0.0.1:1",
                "api_key": "key",
                "account_id": ENVIRONMENT["POSTMESH_ACCOUNT_ID"],
            },
        )
        body = send.call_args.kwargs["body"]
        self.assertEqual(
            (body["from"], body["to"]), ({"email": "news@shop.test", "name": "Shop"}, [{"email": "ann@mail.test"}])
        )
        self.assertEqual((body["text_content"], body["html_content"]), ("text", "<b>Hi</b>"))
        self.assertEqual(body["attachments"][0]["data"], "dGV4dA==")


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
