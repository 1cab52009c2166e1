// npm install postmesh fastify; the environment as in express.mjs
import Fastify from 'fastify';
import { Postmesh, verifyWebhook, WebhookVerificationError } from 'postmesh';

const postmesh = new Postmesh();
const app = Fastify({ logger: true });

app.post('/orders/:number/mail', async (request, reply) => {
  const { data } = await postmesh.messages.send({
    headers: { 'Idempotency-Key': `order-${request.params.number}` },
    body: {
      from: { email: 'news@shop.example.com', name: 'Shop' },
      recipients: [{ email: request.body.email }],
      subject: `Your order ${request.params.number}`,
      text_content: 'It is on its way.',
    },
  });
  return reply.code(202).send({ id: data[0].id, status: data[0].status });
});

// a scope of its own, where bodies stay as they arrive
app.register(async (webhooks) => {
  webhooks.removeContentTypeParser('application/json');
  webhooks.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  webhooks.post('/webhooks/postmesh', async (request, reply) => {
    try {
      const event = verifyWebhook({
        secret: process.env.WEBHOOK_SECRET,
        headers: request.headers,
        body: request.body,
      });
      request.log.info({ type: event.type }, 'webhook');
      return reply.code(204).send();
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      return reply.code(400).send({ message: error.message });
    }
  });
});

await app.listen({ port: Number(process.env.PORT ?? 3000) });
