import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  SMTPServerAddress,
  SMTPServerDataStream,
  SMTPServerError,
  SMTPServerSession,
} from 'smtp-server';
import { SINK_HOST } from '../dns/local-names.js';
import type { LocalInternetLogger } from '../logger.js';
import { Greylist } from './greylist.js';
import { conductFor, type Conduct } from './obey-address.rules.js';
import { ReadingBudget, readLetter } from './read-letter.js';
import { selfSignedCertificate, type KeyAndCertificate } from '@postmesh/secrets';
import { SinkServer } from './sink-server.js';

/** A letter as it came in, with its envelope. */
export interface TakenLetter {
  raw: Buffer;
  envelopeFrom: string;
  to: string[];
  tls: boolean;
  helo: string;
  remoteAddress: string;
}

export interface SmtpSinkOptions {
  host: string;
  /** 0 = a free port. */
  port: number;
  tls: KeyAndCertificate | undefined;
  /** Resolves when the letter is safe; the sender hears 250 then, and 451 when it rejects. */
  keep(letter: TakenLetter): Promise<void>;
  logger: LocalInternetLogger;
}

export const LARGEST_LETTER = 50 * 1024 * 1024;
const RECEIVED_AT_ONCE = 256 * 1024 * 1024;
const MOST_CLIENTS = 2_000;
const LATE_ANSWER_MS = 5_000;

type Done = (error?: SMTPServerError | null, message?: string) => void;

/** Takes every letter and obeys its address. */
export class SmtpSink {
  private readonly greylist = new Greylist();
  private readonly budget = new ReadingBudget(RECEIVED_AT_ONCE);
  private readonly stopping = new AbortController();
  private readonly server: SinkServer;

  private constructor(private readonly options: SmtpSinkOptions) {
    this.server = new SinkServer({
      name: SINK_HOST,
      banner: 'local internet, nothing leaves this machine',
      ...(options.tls ?? selfSignedCertificate([SINK_HOST, 'localhost', '127.0.0.1'])),
      disabledCommands: ['AUTH'],
      disableReverseLookup: true,
      hideENHANCEDSTATUSCODES: false,
      size: LARGEST_LETTER,
      rejectOversized: true,
      maxClients: MOST_CLIENTS,
      closeTimeout: 1_000,
      logger: false,
      onRcptTo: (address, session, done) => done(this.refusal(address, session)),
      onData: (stream, session, done) => void this.receive(stream, session, done),
    });
    // Clients that go away in the middle are what this sink is for.
    this.server.on('error', (error) => options.logger.debug({ err: error }, 'sink: connection'));
  }

  static async start(options: SmtpSinkOptions): Promise<SmtpSink> {
    const sink = new SmtpSink(options);
    const listening = sink.server.listen(options.port, options.host);
    await once(listening, 'listening');
    return sink;
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.cutAll();
    await closed;
  }

  private refusal(recipient: SMTPServerAddress, session: SMTPServerSession): SMTPServerError | null {
    const conduct = conductFor(recipient.address);
    if (conduct.kind === 'refuse') return reply(conduct.code, conduct.text);
    if (conduct.kind !== 'greylist') return null;
    const admitted = this.greylist.admits(senderOf(session), recipient.address);
    return admitted ? null : reply(451, '4.7.1 greylisted, try again later');
  }

  private async receive(stream: SMTPServerDataStream, session: SMTPServerSession, done: Done): Promise<void> {
    const recipients = session.envelope.rcptTo.map(({ address }) => address);
    const conducts = new Set<Conduct['kind']>(recipients.map((address) => conductFor(address).kind));
    if (conducts.has('cut-during-data')) stream.once('data', () => this.server.cut(session.id));
    const read = await readLetter(stream, this.budget);
    if (read.kind === 'broken-off') return done(reply(451, '4.4.2 connection lost'));
    if (read.kind === 'too-large') return done();
    if (read.kind === 'no-room') return done(reply(452, '4.3.1 too much at once, try again later'));
    if (conducts.has('cut-after-dot') || conducts.has('cut-during-data')) {
      read.done();
      return this.server.cut(session.id);
    }
    try {
      await this.options.keep({ raw: read.raw, to: recipients, ...whoSent(session) });
    } catch (error) {
      this.options.logger.error({ err: error }, 'sink: letter not kept');
      return done(reply(451, '4.3.0 the letter could not be kept'));
    } finally {
      read.done();
    }
    if (conducts.has('answer-late')) await this.lateMoment();
    done(null, '2.6.0 kept');
  }

  private async lateMoment(): Promise<void> {
    // Stopping cuts the wait short: the connection is gone then, too.
    await sleep(LATE_ANSWER_MS, undefined, { signal: this.stopping.signal }).catch(() => {});
  }
}

function whoSent(session: SMTPServerSession): Omit<TakenLetter, 'raw' | 'to'> {
  return {
    envelopeFrom: senderOf(session),
    tls: session.secure,
    helo: session.hostNameAppearsAs,
    remoteAddress: session.remoteAddress,
  };
}

function senderOf(session: SMTPServerSession): string {
  return session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address;
}

function reply(code: number, text: string): SMTPServerError {
  return Object.assign(new Error(text), { responseCode: code });
}
