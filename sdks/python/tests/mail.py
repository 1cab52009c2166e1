"""Sends one mail by Django and prints its Message-ID, for services/all-in-one/test/sdks.spec.ts."""

from email.mime.image import MIMEImage

from django.conf import settings
from django.core.mail import EmailMultiAlternatives

settings.configure(EMAIL_BACKEND="postmesh.django.EmailBackend")

message = EmailMultiAlternatives(
    subject="Grüße",
    body="Hi",
    from_email='"Shop, Inc" <news@shop.example.com>',
    to=["Ann <ann@mail.test>"],
    reply_to=["help@shop.example.com"],
    headers={"X-Order": "17"},
)
message.attach_alternative('<b>Hi</b> <img src="cid:logo">', "text/html")
message.attach("a.txt", "text", "text/plain")
logo = MIMEImage(b"\x01\x02", "png")
logo.add_header("Content-ID", "<logo>")
logo.add_header("Content-Disposition", "inline", filename="b.png")
message.attach(logo)
message.esp_extra = {"tags": ["mail"]}
message.send()
print(message.postmesh_result.data[0].id)
