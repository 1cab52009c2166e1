"""pip install postmesh flask; the environment has POSTMESH_BASE_URL, POSTMESH_API_KEY, POSTMESH_ACCOUNT_ID and
WEBHOOK_SECRET (the `secret` of the created webhook). flask --app flask_app run"""

import os

from flask import Flask, request

from postmesh import ApiError, Postmesh, WebhookVerificationError, verify_webhook

app = Flask(__name__)
postmesh = Postmesh()


@app.post("/orders/<int:number>/mail")
def mail_order(number):
    result = postmesh.messages.send(
        # this order's mail goes out once, even if the caller asks again
        idempotency_key=f"order-{number}",
        body={
            "from": {"email": "news@shop.example.com", "name": "Shop"},
            "recipients": [{"email": request.json["email"]}],
            "subject": f"Your order {number}",
            "text_content": "It is on its way.",
        },
    )
    return {"id": result.data[0].id, "status": result.data[0].status}, 202


@app.errorhandler(ApiError)
def refused(error):
    return {"message": str(error)}, error.status


@app.post("/webhooks/postmesh")
def postmesh_event():
    try:
        event = verify_webhook(secret=os.environ["WEBHOOK_SECRET"], headers=request.headers, body=request.get_data())
    except WebhookVerificationError as error:
        return {"message": str(error)}, 400
    if event.type_ == "message.bounced":
        print("bounced:", event.data.recipient)
    return "", 204
