import { join } from 'node:path';
import { letterRoutes } from './control-api/letters.routes.js';
import { HttpServer } from './control-api/http-server.js';
import { viewRoutes } from './control-api/views.routes.js';
import { zoneRoutes } from './control-api/zones.routes.js';
import { DnsServer } from './dns/dns-server.js';
import { FreshRecords } from './dns/fresh-records.js';
import { openHandZones } from './dns/hand-zones-file.js';
import { NameService } from './dns/name-service.js';
import type { RecordsSource } from './dns/published-zone.js';
import { FolderShelf } from './letters/folder-shelf.js';
import { LetterStore } from './letters/letter-store.js';
import { MemoryShelf } from './letters/letter-shelf.js';
import type { LocalInternetLogger } from './logger.js';
import type { KeyAndCertificate } from '@postmesh/secrets';
import { SmtpSink } from './sink/smtp-sink.js';
import { describeLetter } from './sink/describe-letter.js';
import { VerdictQueue } from './verdicts/verdict-queue.js';
import { letterVerifier } from './verdicts/verify-letter.js';

export interface LocalInternetOptions {
  /** 0 or absent = a free port, the same for UDP and TCP. */
  dnsPort?: number;
  /** 0 or absent = a free port. */
  sinkPort?: number;
  /** 0 = a free port. */
  mailboxPort: number;
  host?: string;
  /** What the service asked domain owners to publish; read for every batch of questions. */
  recordsSource: RecordsSource;
  /** PEM; absent = a self-signed certificate made at start. */
  tls?: KeyAndCertificate;
  logger: LocalInternetLogger;
  /** Most letters kept, the newest; 10,000 when absent. */
  keepMax?: number;
  /** Most octets kept in letters; 256 MiB when absent. */
  keepBytes?: number;
  /** Keeps letters and hand-published zones over a restart; absent = in memory only. */
  dataDir?: string;
  /** Host names besides localhost under which the mailbox may be opened, such as a container's name. */
  allowedHosts?: readonly string[];
}

export interface LocalInternet {
  /** `host:port` for resolvers. */
  dnsAddress: string;
  sinkPort: number;
  mailboxUrl: string;
  stop(): Promise<void>;
}

const EVERYWHERE = new Set(['127.0.0.1', '0.0.0.0']);
const KEEP_MAX = 10_000;
const KEEP_BYTES = 256 * 1024 * 1024;
const REMEMBER_RECORDS_MS = 1_000;
// Resolvers give up on a server after 5 s; an honest SERVFAIL should be there before.
const RECORDS_TIMEOUT_MS = 4_000;

/** Starts DNS, sink and mailbox; when one cannot start, none stays. */
export async function startLocalInternet(options: LocalInternetOptions): Promise<LocalInternet> {
  const { logger, dataDir, host = '127.0.0.1' } = options;
  const undo: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const zones = await openHandZones(dataDir === undefined ? undefined : join(dataDir, 'zones.json'));
    const names = new NameService(zones, freshRecords(options));
    const dns = await DnsServer.start({ host, port: options.dnsPort ?? 0, names, logger });
    undo.push(() => dns.stop());
    const { store, verdicts } = await openLetters(options, names, undo);
    const keep = async (taken: Parameters<typeof describeLetter>[0]): Promise<void> => {
      const letter = describeLetter(taken);
      await store.add(letter, taken.raw);
      verdicts.add([letter.id]);
    };
    const sink = await SmtpSink.start({ host, port: options.sinkPort ?? 0, tls: options.tls, keep, logger });
    undo.push(() => sink.stop());
    const routes = [...letterRoutes(store, verdicts), ...viewRoutes(store, verdicts), ...zoneRoutes(zones)];
    const allowedHosts = options.allowedHosts ?? [];
    const http = await HttpServer.start({ host, port: options.mailboxPort, allowedHosts, routes, logger });
    undo.push(() => http.stop());
    const mailboxUrl = `http://${EVERYWHERE.has(host) ? 'localhost' : host}:${http.port}`;
    logger.info({ dns: dns.address, sink_port: sink.port, mailbox_url: mailboxUrl }, 'local internet is up');
    return { dnsAddress: dns.address, sinkPort: sink.port, mailboxUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function freshRecords({ recordsSource, logger }: LocalInternetOptions): FreshRecords {
  let unusable = 0;
  return new FreshRecords({
    source: recordsSource,
    rememberMs: REMEMBER_RECORDS_MS,
    timeoutMs: RECORDS_TIMEOUT_MS,
    onFailure: (error) => logger.warn({ err: error }, 'dns: the published records could not be read'),
    onUnusable: (count) => {
      // Said once per change: it is the same in every reading.
      if (count !== unusable) logger.warn({ records: count }, 'dns: records that cannot be published');
      unusable = count;
    },
  });
}

async function openLetters(
  { dataDir, logger, keepMax = KEEP_MAX, keepBytes = KEEP_BYTES }: LocalInternetOptions,
  names: NameService,
  undo: (() => Promise<void>)[],
): Promise<{ store: LetterStore; verdicts: VerdictQueue }> {
  const shelf = dataDir === undefined ? new MemoryShelf() : await FolderShelf.open(join(dataDir, 'letters'));
  undo.push(() => shelf.close());
  const store = await LetterStore.open({ shelf, keepMax, keepBytes, logger });
  const verdicts = new VerdictQueue({ store, verify: letterVerifier(names), logger });
  store.onGone = (ids) => verdicts.forget(ids);
  undo.push(async () => verdicts.stop());
  verdicts.add(store.unjudged());
  return { store, verdicts };
}
