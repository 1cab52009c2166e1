import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@postmesh/observability';
import { DnsServer } from './dns/dns-server.js';
import { SINK_HOST } from './dns/look-up.rules.js';
import { NameService } from './dns/name-service.js';
import { PublishedRecords, type RecordsSource } from './dns/published-records.js';
import { Zones } from './dns/zones.js';
import { authorityFileIn, Houses, openAuthority } from './houses/houses.js';
import { startMailboxServer } from './mailbox/mailbox-server.js';
import { MessageStorage } from './messages/message-storage.js';
import { describeMessage, type Envelope } from './messages/message.rules.js';
import { Verifier } from './messages/verifier.js';
import { messageVerifier } from './messages/verify-message.js';
import { LateReports } from './reports/late-reports.js';
import { behaviourOf } from './sink/recipient-behaviour.rules.js';
import { SinkMemory, SmtpSink } from './sink/smtp-sink.js';

export interface LocalInternetOptions {
  /** 0 = a free port. */
  mailboxPort: number;
  /** Records that the service lists for domain owners; read for every batch of questions. */
  recordsSource: RecordsSource;
  logger: Logger;
  /** Port of the service for reports, on loopback; 0 or absent = `useMxPort` sets it later. */
  mxPort?: number;
  /** The console, for links to the timelines of messages; absent = no links. */
  consoleUrl?: string | undefined;
  /** Keeps messages and zones over a restart; absent = a temporary folder that `stop` removes. */
  dataDir?: string;
}

export interface LocalInternet {
  /** `host:port` for resolvers. */
  dnsAddress: string;
  sinkPort: number;
  mailboxUrl: string;
  /** HTTPS port of the houses' MTA-STS policies, in place of 443. */
  policyPort: number;
  /** PEM: the authority that signs for the houses' mail and policy hosts. */
  authorityFile: string;
  /** The service accepts mail at this port now: waiting reports are sent. */
  useMxPort(port: number): void;
  stop(): Promise<void>;
}

const MAX_MESSAGES = 10_000;
const MAX_BYTES = 256 * 1024 * 1024;

/** Starts DNS, sink and mailbox on the loopback interface; when one cannot start, all are stopped. */
export async function startLocalInternet(options: LocalInternetOptions): Promise<LocalInternet> {
  const { logger } = options;
  const steps: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of steps.splice(0).reverse()) await step();
  };
  try {
    const dataDir = await openDataDir(options.dataDir, steps);
    const zones = new Zones(join(dataDir, 'zones.json'));
    const houses = new Houses(await openAuthority(dataDir), logger);
    const published = new PublishedRecords(options.recordsSource, logger);
    const names = new NameService(zones, published, houses.recordsAt);
    const dns = await DnsServer.start(names, logger);
    steps.push(() => dns.stop());

    const storage = await MessageStorage.open({
      folder: join(dataDir, 'messages'),
      maxMessages: MAX_MESSAGES,
      maxBytes: MAX_BYTES,
      logger,
    });
    steps.push(async () => storage.close());
    const verifier = new Verifier({ storage, verify: messageVerifier(names), logger });
    steps.push(async () => verifier.stop());
    verifier.wake();

    const reports = new LateReports({ logger, mxPort: options.mxPort, host: SINK_HOST });
    steps.push(async () => reports.stop());
    const store = async (envelope: Envelope, raw: Buffer): Promise<void> => {
      const message = describeMessage(envelope, raw);
      await storage.add(message, raw);
      verifier.wake();
      for (const recipient of envelope.to) {
        const behaviour = behaviourOf(recipient);
        if (behaviour.kind !== 'report') continue;
        reports.add(message.id, behaviour.report, { envelope, recipient, message: raw });
      }
    };
    const memory = new SinkMemory();
    const sink = await SmtpSink.start({ store, memory, logger });
    steps.push(() => sink.stop());
    await houses.start({ store, memory }, sink.port);
    steps.push(() => houses.stop());

    const { consoleUrl } = options;
    const parts = { storage, verifier, zones, houses, reports, consoleUrl };
    const mailbox = await startMailboxServer({ port: options.mailboxPort, ...parts, logger });
    steps.push(() => mailbox.stop());
    const fields = { dns: dns.address, sink_port: sink.port, mailbox_url: mailbox.url };
    logger.info({ event: 'local_internet.started', ...fields }, 'local internet is up');
    return {
      dnsAddress: dns.address,
      sinkPort: sink.port,
      mailboxUrl: mailbox.url,
      policyPort: houses.policyPort,
      authorityFile: authorityFileIn(dataDir),
      useMxPort: (port) => reports.useMxPort(port),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openDataDir(given: string | undefined, steps: (() => Promise<void>)[]): Promise<string> {
  if (given !== undefined) {
    await mkdir(given, { recursive: true, mode: 0o700 });
    return given;
  }
  const temporary = await mkdtemp(join(tmpdir(), 'local-internet-'));
  steps.push(() => rm(temporary, { recursive: true, force: true }));
  return temporary;
}
