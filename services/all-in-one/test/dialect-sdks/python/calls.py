"""
One call of an unmodified SDK of another service: `python calls.py PACKAGE CALL`, with the mail as JSON on standard input.
Prints the ids of what was accepted, and the errors.
"""

import base64
import json
import sys

mail = json.load(sys.stdin)
PICTURE = base64.b64decode(mail["picture"])
INVOICE = base64.b64decode(mail["invoice"])
HTML = '<p>Hi <img src="cid:%s"></p>'


def resend(call, key):
    import resend as sdk

    sdk.api_url = mail["url"]
    sdk.api_key = key
    email = {"from": mail["from"], "to": [mail["to"]], "subject": mail["subject"], "text": "Hi"}

    def send(options=None, **more):
        return sdk.Emails.send({**email, **more}, options)["id"]

    def fail(make):
        try:
            make()
        except sdk.exceptions.ResendError as error:
            return {"status": int(error.code), "message": error.message}

    def files():
        return [
            send(
                html=HTML % "logo",
                cc=mail["cc"],
                bcc=mail["bcc"],
                reply_to="help@shop.test",
                headers={"X-Order": "17"},
                tags=[{"name": "kind", "value": "receipt"}],
                attachments=[
                    {"filename": "logo.png", "content": list(PICTURE), "content_id": "logo"},
                    {"filename": "invoice.pdf", "content": list(INVOICE)},
                ],
            )
        ], []

    def again():
        options = {"idempotency_key": mail["key"]}
        ids = [send(options), send(options)]
        return ids, [fail(lambda: send(options, subject="Other"))]

    def batch():
        emails = [{**email, "to": to} for to in mail["several"]]
        sent = sdk.Batch.send(emails, {"idempotency_key": mail["key"]})
        return [one["id"] for one in sent["data"]], []

    def template():
        template = {"id": mail["template"], "variables": {"code": "991"}}
        sent = sdk.Emails.send({"to": mail["to"], "template": template})
        return [sent["id"]], []

    def schedule():
        id = send(scheduled_at=mail["at"])
        sdk.Emails.cancel(id)
        return [id], []

    def contacts():
        segment = sdk.Segments.create({"name": mail["key"]})["id"]
        id = sdk.Contacts.create({"audience_id": segment, "email": mail["to"], "first_name": "Ann"})["id"]
        sdk.Contacts.update({"audience_id": segment, "id": id, "unsubscribed": True})
        read = sdk.Contacts.get(audience_id=segment, email=mail["to"])
        listed = sdk.Contacts.list(audience_id=segment)["data"]
        sdk.Contacts.remove(audience_id=segment, email=mail["to"])
        missing = fail(lambda: sdk.Contacts.get(audience_id=segment, id=id))
        sdk.Segments.remove(segment)
        return [read["id"], *[one["id"] for one in listed]], [missing]

    def errors():
        sdk.api_key = "re_unknown"
        unknown = fail(send)
        sdk.api_key = key
        return [], [unknown, fail(lambda: send(topic_id="news"))]

    return locals()[call]()


def sendgrid(call, key):
    import sendgrid as sdk
    from python_http_client.exceptions import HTTPError
    from sendgrid.helpers import mail as parts

    client = sdk.SendGridAPIClient(key, host=mail["url"])

    def message(**more):
        return parts.Mail(
            from_email=parts.Email(mail["address"], "Shop"),
            subject=mail["subject"],
            plain_text_content="Hi",
            **{"to_emails": mail["to"], **more},
        )

    def send(made, by=client, headers=None):
        sent = by.client.mail.send.post(request_body=made.get(), request_headers=headers)
        return sent.headers["X-Message-Id"]

    def fail(make):
        try:
            make()
        except HTTPError as error:
            return {"status": error.status_code, "message": error.to_dict["errors"][0]["message"]}

    def file(content, name, kind, disposition, content_id=None):
        return parts.Attachment(
            parts.FileContent(base64.b64encode(content).decode()),
            parts.FileName(name),
            parts.FileType(kind),
            parts.Disposition(disposition),
            content_id and parts.ContentId(content_id),
        )

    def files():
        made = message(html_content=HTML % "logo")
        made.add_cc(mail["cc"])
        made.add_bcc(mail["bcc"])
        made.reply_to = "help@shop.test"
        made.add_header(parts.Header("X-Order", "17"))
        made.add_category(parts.Category("kind:receipt"))
        made.add_attachment(file(INVOICE, "invoice.pdf", "application/pdf", "attachment"))
        made.add_attachment(file(PICTURE, "logo.png", "image/png", "inline", "logo"))
        return [client.send(made).headers["X-Message-Id"]], []

    def again():
        headers = {"Idempotency-Key": mail["key"]}
        ids = [send(message(), headers=headers), send(message(), headers=headers)]
        return ids, [fail(lambda: send(message(html_content="Other"), headers=headers))]

    def batch():
        made = message(to_emails=[parts.To(to) for to in mail["several"]], is_multiple=True)
        return [send(made)], []

    def template():
        made = parts.Mail(from_email=mail["from"], to_emails=mail["to"])
        made.template_id = "d-" + mail["template"]
        made.dynamic_template_data = {"code": "991"}
        return [send(made)], []

    def schedule():
        made = message()
        made.send_at = mail["seconds"]
        return [send(made)], []

    def templates():
        query = {"generations": "dynamic", "page_size": 200}
        listed = client.client.templates.get(query_params=query).to_dict["result"]
        read = client.client.templates._(mail["template"]).get().to_dict
        return [one["id"] for one in listed], [], [read["versions"][0]["html_content"]]

    def errors():
        stranger = sdk.SendGridAPIClient("SG.unknown", host=mail["url"])
        pooled = message()
        pooled.ip_pool_name = parts.IpPoolName("news")
        return [], [fail(lambda: send(message(), stranger)), fail(lambda: send(pooled))]

    return locals()[call]()


def postmarker(call, key):
    from postmarker.core import PostmarkClient
    from postmarker.exceptions import ClientError

    def client(token=key):
        return PostmarkClient(server_token=token, root_api_url=mail["url"])

    email = {"From": mail["from"], "To": mail["to"], "Subject": mail["subject"], "TextBody": "Hi"}

    def send(token=key, **more):
        return client(token).emails.send(**{**email, **more})["MessageID"]

    def fail(make):
        try:
            make()
        except ClientError as error:
            return {"status": int(error.error_code), "message": str(error)}

    def files():
        return [
            send(
                HtmlBody=HTML % "logo",
                Cc=mail["cc"],
                Bcc=mail["bcc"],
                ReplyTo="help@shop.test",
                Headers={"X-Order": "17"},
                Tag="kind:receipt",
                Attachments=[
                    ("logo.png", mail["picture"], "image/png", "cid:logo"),
                    ("invoice.pdf", mail["invoice"], "application/pdf"),
                ],
            )
        ], []

    def batch():
        sent = client().emails.send_batch(*[{**email, "To": to} for to in mail["several"]])
        return [one["MessageID"] for one in sent], []

    def template():
        sent = client().emails.send_with_template(
            TemplateAlias=mail["template"],
            TemplateModel={"code": "991"},
            From=mail["from"],
            To=mail["to"],
            InlineCss=False,
        )
        return [sent["MessageID"]], []

    def templates():
        listed = client().templates.all()
        return [one.Alias for one in listed], [], [client().templates.get(mail["template"]).HtmlBody]

    def errors():
        return [], [fail(lambda: send("unknown")), fail(lambda: send(MessageStream="news"))]

    return locals()[call]()


def mailgun(call, key):
    from mailgun.client import Client

    email = {"from": mail["from"], "to": mail["to"], "subject": mail["subject"], "text": "Hi"}

    def post(by=key, files=None, headers=None, **more):
        client = Client(auth=("api", by), api_url=mail["url"])
        data = {**email, **more}
        return client.messages.create(data=data, files=files, domain=mail["domain"], headers=headers)

    def send(**more):
        return post(**more).json()["id"]

    def fail(sent):
        text = sent.text if sent.status_code == 401 else sent.json()["message"]
        return {"status": sent.status_code, "message": text}

    def files():
        parts = [
            ("inline", ("logo.png", PICTURE, "image/png")),
            ("attachment", ("invoice.pdf", INVOICE, "application/pdf")),
        ]
        more = {"h:Reply-To": "help@shop.test", "h:X-Order": "17", "o:tag": ["kind:receipt"]}
        return [send(files=parts, html=HTML % "logo.png", cc=mail["cc"], bcc=mail["bcc"], **more)], []

    def again():
        headers = {"Idempotency-Key": mail["key"]}
        ids = [send(headers=headers), send(headers=headers)]
        return ids, [fail(post(headers=headers, subject="Other"))]

    def batch():
        values = {to: {"code": at} for at, to in enumerate(mail["several"])}
        return [send(to=mail["several"], **{"recipient-variables": json.dumps(values)})], []

    def template():
        client = Client(auth=("api", key), api_url=mail["url"])
        data = {"from": mail["from"], "to": mail["to"], "template": mail["template"]}
        data["t:variables"] = json.dumps({"code": "991"})
        return [client.messages.create(data=data, domain=mail["domain"]).json()["id"]], []

    def schedule():
        return [send(**{"o:deliverytime": mail["rfc2822"]})], []

    def errors():
        return [], [fail(post("unknown")), fail(post(**{"o:require-tls": "yes"}))]

    return locals()[call]()


def ses(call, key):
    import boto3
    from botocore.config import Config
    from botocore.exceptions import ClientError

    def client(secret):
        return boto3.client(
            "sesv2",
            endpoint_url=mail["url"],
            region_name="eu-west-1",
            aws_access_key_id=mail["access"]["access_key_id"],
            aws_secret_access_key=secret,
            config=Config(retries={"total_max_attempts": 1}),
        )

    def send(content, to=mail["to"], secret=mail["access"]["secret_access_key"], **more):
        destination = {"ToAddresses": [to], **more.pop("destination", {})}
        given = {"FromEmailAddress": mail["from"], "Destination": destination, "Content": content, **more}
        return client(secret).send_email(**given)["MessageId"]

    def simple(**more):
        body = {"Text": {"Data": "Hi"}, "Html": {"Data": HTML % "logo"}}
        return {"Simple": {"Subject": {"Data": mail["subject"]}, "Body": body, **more}}

    def fail(make):
        try:
            make()
        except ClientError as error:
            answer = error.response
            status = answer["ResponseMetadata"]["HTTPStatusCode"]
            return {"status": status, "message": answer["Error"]["Message"]}

    def files():
        attachments = [
            {
                "FileName": "logo.png",
                "RawContent": PICTURE,
                "ContentId": "logo",
                "ContentDisposition": "INLINE",
            },
            {"FileName": "invoice.pdf", "RawContent": INVOICE},
        ]
        content = simple(Headers=[{"Name": "X-Order", "Value": "17"}], Attachments=attachments)
        return [
            send(
                content,
                destination={"CcAddresses": [mail["cc"]], "BccAddresses": [mail["bcc"]]},
                ReplyToAddresses=["help@shop.test"],
                EmailTags=[{"Name": "kind", "Value": "receipt"}],
            )
        ], []

    def template():
        data = json.dumps({"code": "991"})
        return [send({"Template": {"TemplateName": mail["template"], "TemplateData": data}})], []

    def batch():
        data = json.dumps({"code": "1"})
        sent = client(mail["access"]["secret_access_key"]).send_bulk_email(
            FromEmailAddress=mail["from"],
            DefaultContent={"Template": {"TemplateName": mail["template"], "TemplateData": data}},
            BulkEmailEntries=[{"Destination": {"ToAddresses": [to]}} for to in mail["several"]],
        )
        return [one["MessageId"] for one in sent["BulkEmailEntryResults"]], []

    def errors():
        wrong = fail(lambda: send(simple(), secret="wrong"))
        return [], [wrong, fail(lambda: send(simple(), ConfigurationSetName="set"))]

    return locals()[call]()


ids, errors, *contents = globals()[sys.argv[1]](sys.argv[2], mail["secret"])
print(json.dumps({"ids": ids, "errors": errors, "contents": contents[0] if contents else []}))
