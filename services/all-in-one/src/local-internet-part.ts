import { join } from 'node:path';
import { request } from 'undici';
import { z } from 'zod';
import { startLocalInternet } from '@postmesh/local-internet';
import { createLogger, Metrics } from '@postmesh/observability';
import { openPort, type Settings } from '@postmesh/settings';
import type { ThreadPart } from './part.js';

export async function startPart(settings: Settings): Promise<ThreadPart> {
  const { mailboxPort } = settings;
  const internet = await openPort('POSTMESH_MAILBOX_PORT', mailboxPort, () =>
    startLocalInternet({
      mailboxPort,
      dataDir: join(settings.dataDir, 'mailbox'),
      recordsSource: () => readPublishedZone(settings),
      logger: createLogger(settings, 'local-internet'),
    }),
  );
  return {
    facts: {
      dns: internet.dnsAddress,
      sink_port: internet.sinkPort,
      mailbox_url: internet.mailboxUrl,
      policy_port: internet.policyPort,
      authority_file: internet.authorityFile,
    },
    metrics: new Metrics({ defaults: false }),
    ready: async () => true,
    useMxPort: (port) => internet.useMxPort(port),
    stop: () => internet.stop(),
  };
}

const Record = z.object({ type: z.string(), host: z.string(), content: z.string() });
const PublishedZone = z.object({
  domains: z.array(z.object({ domain: z.string(), records: z.array(Record) })),
  serviceRecords: z.array(Record),
});

/**
 * What the owners of all domains were asked to publish, read as a registrar's program would: over the operator
 * interface.
 */
async function readPublishedZone(settings: Settings): Promise<z.infer<typeof PublishedZone>> {
  const { statusCode, body } = await request(
    `http://127.0.0.1:${settings.operatorPort}/operator/domains/zone`,
    {
      headers: { authorization: `Bearer ${settings.operatorToken}` },
      headersTimeout: 5_000,
      bodyTimeout: 5_000,
    },
  );
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`the operator interface responded ${statusCode}`);
  return PublishedZone.parse(JSON.parse(text));
}
