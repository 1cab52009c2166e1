import { join } from 'node:path';
import { startLocalInternet } from '@postmesh/local-internet';
import { createLogger, Metrics } from '@postmesh/observability';
import type { Settings } from '@postmesh/settings';
import { readPublishedZone } from './published-zone.js';
import type { ThreadPart } from './thread-part.js';

export async function startLocalInternetThread(settings: Settings): Promise<ThreadPart> {
  const metrics = new Metrics({ defaults: false });
  const internet = await startLocalInternet({
    mailboxPort: settings.mailboxPort,
    dataDir: join(settings.dataDir, 'mailbox'),
    recordsSource: () => readPublishedZone(settings),
    logger: createLogger(settings, 'local-internet'),
  });
  return {
    facts: { dns: internet.dnsAddress, sink_port: internet.sinkPort, mailbox_url: internet.mailboxUrl },
    metrics,
    ready: async () => true,
    stop: () => internet.stop(),
  };
}
