import { z } from 'zod';
import { request } from 'undici';
import type { Settings } from '@postmesh/settings';

const Record = z.object({ type: z.string(), host: z.string(), content: z.string() });
const PublishedZone = z.object({
  domains: z.array(z.object({ domain: z.string(), records: z.array(Record) })),
  serviceRecords: z.array(Record),
});

/** What the owners of all domains were asked to publish, read like a registrar's robot would: over the operator interface. */
export async function readPublishedZone(settings: Settings): Promise<z.infer<typeof PublishedZone>> {
  const { statusCode, body } = await request(
    `http://127.0.0.1:${settings.operatorPort}/operator/domains/zone`,
    {
      headers: { authorization: `Bearer ${settings.operatorToken}` },
      headersTimeout: 5_000,
      bodyTimeout: 5_000,
    },
  );
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`the operator interface answered ${statusCode}`);
  return PublishedZone.parse(JSON.parse(text));
}
