// app/api/webhooks/postmesh/route.ts of a Next.js application
import { verifyWebhook, WebhookVerificationError } from 'postmesh';

export async function POST(request: Request) {
  try {
    const event = verifyWebhook({
      secret: process.env['WEBHOOK_SECRET'] ?? '',
      headers: request.headers,
      body: await request.text(),
    });
    if (event.type === 'message.bounced') console.log('bounced:', event.data.recipient);
    return new Response(null, { status: 204 });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return Response.json({ message: error.message }, { status: 400 });
  }
}
