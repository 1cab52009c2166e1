import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { request } from 'undici';
import { z } from 'zod';
import { DELIVERY_WORKER_SERVICE } from '@postmesh/delivery-worker';
import { startLocalInternet } from '@postmesh/local-internet';
import { createLogger, Metrics, snapshotMetrics } from '@postmesh/observability';
import { createHostContext, startService } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import type { ThreadInput, ThreadMessage, ThreadQuestion } from './thread.js';

if (!parentPort) throw new Error('this file is the main of a thread');
const port = parentPort;
const input = workerData as ThreadInput;
const say = (message: ThreadMessage) => port.postMessage(message);

/** What runs in a thread. */
interface ThreadPart {
  facts: Record<string, string | number>;
  metrics: Metrics;
  ready(): Promise<boolean>;
  useMxPort?(port: number): void;
  stop(): Promise<void>;
}

async function startDeliveryWorker(settings: Settings): Promise<ThreadPart> {
  const metrics = new Metrics({ defaults: false });
  const context = await createHostContext(settings, 'delivery-worker', { metrics });
  const service = await startService(DELIVERY_WORKER_SERVICE, context);
  // the operator interface asks this service over HTTP, as it would in production
  const port = await service.listen('127.0.0.1', 0);
  return {
    facts: { port },
    metrics,
    ready: () => service.ready(),
    stop: async () => {
      await service.stop();
      await context.close();
    },
  };
}

async function startLocalInternetPart(settings: Settings): Promise<ThreadPart> {
  const internet = await startLocalInternet({
    mailboxPort: settings.mailboxPort,
    dataDir: join(settings.dataDir, 'mailbox'),
    recordsSource: () => readPublishedZone(settings),
    logger: createLogger(settings, 'local-internet'),
  });
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

const part =
  input.role === 'delivery-worker'
    ? await startDeliveryWorker(input.settings)
    : await startLocalInternetPart(input.settings);

port.on('message', (message: ThreadQuestion) => {
  if (message.kind === 'stop') void part.stop().finally(() => process.exit(0));
  else if (message.kind === 'mx-port') part.useMxPort?.(message.port);
  else void sayState(message.question);
});
say({ kind: 'ready', facts: part.facts });

async function sayState(question: number): Promise<void> {
  say({ kind: 'state', question, ready: await part.ready(), metrics: await snapshotMetrics(part.metrics) });
}
