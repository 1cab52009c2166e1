import { join } from 'node:path';
import { request } from 'undici';
import { z } from 'zod';
import { startLocalInternet } from '@postmesh/local-internet';
import type { Logger } from '@postmesh/observability';
import { ownBaseUrl } from '@postmesh/public-links';
import { openPort, type Settings } from '@postmesh/settings';

export type LocalInternet = Awaited<ReturnType<typeof startLocalInternet>>;

/** @param settings with the port of the operator interface, from which published records are read */
export function openLocalInternet(settings: Settings, logger: Logger): Promise<LocalInternet> {
  const { mailboxPort } = settings;
  return openPort('POSTMESH_MAILBOX_PORT', mailboxPort, () =>
    startLocalInternet({
      mailboxPort,
      dataDir: join(settings.dataDir, 'mailbox'),
      ...(settings.console ? { consoleUrl: `${ownBaseUrl(settings)}/console` } : {}),
      recordsSource: () => readPublishedZone(settings),
      logger: logger.child({ service: 'local-internet' }),
    }),
  );
}

const Record = z.object({ type: z.string(), host: z.string(), content: z.string() });
const PublishedZone = z.object({
  domains: z.array(z.object({ domain: z.string(), records: z.array(Record) })),
  serviceRecords: z.array(Record),
});

/**
 * The records that the owners of all domains have to publish, read over the operator interface, as the program of a
 * registrar would.
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
