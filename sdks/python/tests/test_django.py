import unittest
from email.mime.image import MIMEImage
from unittest import mock

import django
from django.conf import settings
from django.core.mail import EmailMessage, EmailMultiAlternatives, get_connection

settings.configure(
    POSTMESH_BASE_URL="http://127.0.0.1:1", POSTMESH_API_KEY="key", POSTMESH_ACCOUNT_ID="0b6f4a52-7c1d-4e0f-8a39-61b2c7d8e9f0"
)
django.setup()

import postmesh
from postmesh._mail import body_of


def answer(*statuses):
    return mock.Mock(data=[mock.Mock(status=status, error="553 refused") for status in statuses])


class DjangoBackend(unittest.TestCase):
    def send(self, *messages, fail_silently=False, **behaviour):
        connection = get_connection("postmesh.django.EmailBackend", fail_silently=fail_silently)
        connection.open()
        connection._client.messages.send_conversation = mock.Mock(**behaviour)
        return connection.send_messages(list(messages)), connection._client.messages.send_conversation

    def test_keeps_every_field_of_a_message(self):
        message = EmailMultiAlternatives(
            subject="Grüße",
            body="Hi",
            from_email='"Shop, Inc" <news@shop.test>',
            to=["Ann <ann@mail.test>", "bob@mail.test"],
            cc=["cc@mail.test"],
            bcc=["bcc@mail.test"],
            reply_to=["help@shop.test"],
            headers={"X-Order": "17"},
        )
        message.attach_alternative("<b>Hi</b>", "text/html")
        message.attach("a.txt", "text", "text/plain")
        logo = MIMEImage(b"\x01\x02", "png")
        logo.add_header("Content-ID", "<logo>")
        logo.add_header("Content-Disposition", "inline", filename="b.png")
        message.attach(logo)
        message.esp_extra = {"tags": ["order"], "idempotency_key": "order-17"}
        count, send = self.send(message, return_value=answer("queued", "error"))
        self.assertEqual(count, 1)
        send.assert_called_once_with(
            body={
                "from": {"email": "news@shop.test", "name": "Shop, Inc"},
                "to": [{"email": "ann@mail.test", "name": "Ann"}, {"email": "bob@mail.test"}],
                "cc": [{"email": "cc@mail.test"}],
                "bcc": [{"email": "bcc@mail.test"}],
                "reply_to": {"email": "help@shop.test"},
                "subject": "Grüße",
                "text_content": "Hi",
                "html_content": "<b>Hi</b>",
                "attachments": [
                    {"data": "dGV4dA==", "base64": True, "content_type": "text/plain", "file_name": "a.txt"},
                    {
                        "data": "AQI=",
                        "base64": True,
                        "content_type": "image/png",
                        "file_name": "b.png",
                        "content_disposition": "inline",
                        "content_id": "<logo>",
                    },
                ],
                "headers": [{"name": "X-Order", "value": "17"}],
                "tags": ["order"],
            },
            idempotency_key="order-17",
        )

    def test_refuses_by_name_what_the_api_has_not(self):
        message = EmailMultiAlternatives("s", "b", "a@shop.test", ["b@mail.test"])
        message.attach_alternative("x", "text/calendar")
        with self.assertRaisesRegex(postmesh.PostmeshError, "text/calendar"):
            body_of(message)
        with self.assertRaisesRegex(postmesh.PostmeshError, "to is missing"):
            body_of(EmailMessage("s", "b", "a@shop.test", bcc=["b@mail.test"]))

    def test_counts_what_was_sent_and_fails_silently_when_asked(self):
        message = EmailMessage("s", "b", "a@shop.test", ["b@mail.test"])
        failure = postmesh.NoResponseError("no")
        self.assertEqual(self.send(message, message, fail_silently=True, side_effect=[failure, answer("queued")])[0], 1)
        with self.assertRaises(postmesh.NoResponseError):
            self.send(message, side_effect=failure)
        with self.assertRaisesRegex(postmesh.PostmeshError, "no recipient was accepted: 553 refused"):
            self.send(message, return_value=answer("error"))
        self.assertEqual(self.send(EmailMessage("s", "b", "a@shop.test"))[0], 0)
