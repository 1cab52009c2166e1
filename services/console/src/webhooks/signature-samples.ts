// Signatures of Standard Webhooks: HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, in base64.
export const SAMPLES = [
  {
    id: 'node',
    label: 'Node.js',
    text: `// npm install standardwebhooks express
import express from 'express';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);

express()
  .post('/hooks', express.raw({ type: '*/*' }), (request, response) => {
    try {
      const event = webhook.verify(request.body, request.headers);
      console.log(event.type, event.data);
      response.sendStatus(204);
    } catch {
      response.sendStatus(400);
    }
  })
  .listen(3000);`,
  },
  {
    id: 'python',
    label: 'Python',
    text: `# pip install standardwebhooks flask
import os
from flask import Flask, request
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

app = Flask(__name__)
webhook = Webhook(os.environ["WEBHOOK_SECRET"])

@app.post("/hooks")
def hook():
    try:
        event = webhook.verify(request.get_data(), dict(request.headers))
    except WebhookVerificationError:
        return "", 400
    print(event["type"], event["data"])
    return "", 204`,
  },
  {
    id: 'go',
    label: 'Go',
    text: `// go get github.com/standard-webhooks/standard-webhooks/libraries/go
package main

import (
	"io"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func main() {
	webhook, err := standardwebhooks.NewWebhook(os.Getenv("WEBHOOK_SECRET"))
	if err != nil {
		panic(err)
	}
	http.HandleFunc("/hooks", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil || webhook.Verify(body, r.Header) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	panic(http.ListenAndServe(":3000", nil))
}`,
  },
  {
    id: 'php',
    label: 'PHP',
    text: `<?php
// composer require standard-webhooks/standard-webhooks:dev-main
require 'vendor/autoload.php';

$webhook = new \\StandardWebhooks\\Webhook(getenv('WEBHOOK_SECRET'));
try {
    $event = $webhook->verify(file_get_contents('php://input'), array_change_key_case(getallheaders()));
    error_log($event['type']);
    http_response_code(204);
} catch (\\Exception $error) {
    http_response_code(400);
}`,
  },
] as const;
