// npm install postmesh express; the environment has POSTMESH_BASE_URL, POSTMESH_API_KEY, POSTMESH_ACCOUNT_ID
// and WEBHOOK_SECRET (the `secret` of the created webhook).
import express from 'express';
import { ApiError, Postmesh, verifyWebhook, WebhookVerificationError } from 'postmesh';

const postmesh = new Postmesh();
const app = express();

app.post('/orders/:number/mail', express.json(), async (request, response) => {
  const { number } = request.params;
  try {
    const { data } = await postmesh.messages.send({
      // this order's mail goes out once, even if the caller asks again
      headers: { 'Idempotency-Key': `order-${number}` },
      body: {
        from: { email: 'news@shop.example.com', name: 'Shop' },
        recipients: [{ email: request.body.email }],
        subject: `Your order ${number}`,
        text_content: 'It is on its way.',
      },
    });
    response.status(202).json({ id: data[0].id, status: data[0].status });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    response.status(error.status).json({ message: error.message });
  }
});

// the raw body is what the signature is of
app.post('/webhooks/postmesh', express.raw({ type: 'application/json' }), (request, response) => {
  try {
    const event = verifyWebhook({
      secret: process.env.WEBHOOK_SECRET,
      headers: request.headers,
      body: request.body,
    });
    if (event.type === 'message.bounced') console.log('bounced:', event.data.recipient);
    response.sendStatus(204);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.status(400).json({ message: error.message });
  }
});

app.listen(Number(process.env.PORT ?? 3000));
