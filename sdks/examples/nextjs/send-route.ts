// app/api/orders/[number]/mail/route.ts of a Next.js application: npm install postmesh; the environment as in express.mjs
import { ApiError, Postmesh } from 'postmesh';

const postmesh = new Postmesh();

export async function POST(request: Request, { params }: { params: Promise<{ number: string }> }) {
  const { number } = await params;
  const { email } = (await request.json()) as { email: string };
  try {
    const { data } = await postmesh.messages.send({
      headers: { 'Idempotency-Key': `order-${number}` },
      body: {
        from: { email: 'news@shop.example.com', name: 'Shop' },
        recipients: [{ email }],
        subject: `Your order ${number}`,
        text_content: 'It is on its way.',
      },
    });
    return Response.json(data[0], { status: 202 });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return Response.json({ message: error.message }, { status: error.status });
  }
}
