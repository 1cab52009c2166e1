import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@postmesh/observability';
import { selfSignedCertificate } from '@postmesh/secrets';
import type {
  SMTPServerAddress,
  SMTPServerDataStream,
  SMTPServerError,
  SMTPServerSession,
} from 'smtp-server';
import { SINK_HOST } from '../dns/look-up.rules.js';
import type { Envelope } from '../messages/message.rules.js';
import { behaviourOf, Greylist, type Behaviour } from './recipient-behaviour.rules.js';
import { SinkServer } from './sink-server.js';

/** Resolves when the message is stored; the sender gets 250 then, and 451 when it rejects. */
export type StoreMessage = (envelope: Envelope, raw: Buffer) => Promise<void>;

const MAX_MESSAGE_BYTES = 50 * 1024 * 1024;
/** Octets of messages that may be in memory in all sessions together. */
const MAX_BUFFERED_BYTES = 256 * 1024 * 1024;
const MAX_CLIENTS = 2_000;
const LATE_REPLY_MS = 5_000;

type Done = (error?: SMTPServerError | null, message?: string) => void;

/** Accepts every message, unless the local part of its address asks for something else. */
export class SmtpSink {
  private readonly greylist = new Greylist();
  private readonly stopping = new AbortController();
  private readonly server: SinkServer;
  private bufferedBytes = 0;

  private constructor(
    private readonly store: StoreMessage,
    private readonly logger: Logger,
  ) {
    this.server = new SinkServer({
      name: SINK_HOST,
      banner: 'local internet, nothing leaves this machine',
      ...selfSignedCertificate([SINK_HOST, 'localhost', '127.0.0.1']),
      disabledCommands: ['AUTH'],
      disableReverseLookup: true,
      hideENHANCEDSTATUSCODES: false,
      size: MAX_MESSAGE_BYTES,
      rejectOversized: true,
      maxClients: MAX_CLIENTS,
      closeTimeout: 1_000,
      logger: false,
      onRcptTo: (address, session, done) => done(this.rejection(address, session)),
      onData: (stream, session, done) => void this.receive(stream, session, done),
    });
    // Clients that go away in the middle are what this sink is for.
    this.server.on('error', (error) =>
      logger.debug({ event: 'sink.connection_failed', err: error }, 'an SMTP connection failed'),
    );
  }

  /** Listens on a free port. */
  static async start(store: StoreMessage, logger: Logger): Promise<SmtpSink> {
    const sink = new SmtpSink(store, logger);
    await once(sink.server.listen(0, '127.0.0.1'), 'listening');
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

  private rejection(recipient: SMTPServerAddress, session: SMTPServerSession): SMTPServerError | null {
    const behaviour = behaviourOf(recipient.address);
    if (behaviour.kind === 'reject') return reply(behaviour.code, behaviour.text);
    if (behaviour.kind !== 'greylist') return null;
    const isAdmitted = this.greylist.admits(senderOf(session), recipient.address);
    return isAdmitted ? null : reply(451, '4.7.1 greylisted, try again later');
  }

  private async receive(stream: SMTPServerDataStream, session: SMTPServerSession, done: Done): Promise<void> {
    const envelope = envelopeOf(session);
    const behaviours = new Set<Behaviour['kind']>(envelope.to.map((address) => behaviourOf(address).kind));
    const cut = (): void => this.server.cut(session.id);
    const chunks: Buffer[] = [];
    try {
      const error = await this.read(stream, chunks, behaviours.has('cut-during-data') ? cut : undefined);
      if (error !== undefined) return done(error);
      // smtp-server replies itself.
      if (stream.sizeExceeded) return done();
      if (behaviours.has('cut-after-dot') || behaviours.has('cut-during-data')) return cut();
      await this.store(envelope, Buffer.concat(chunks));
    } catch (error) {
      this.logger.error({ event: 'sink.store_failed', err: error }, 'a message was not stored');
      return done(reply(451, '4.3.0 the message could not be stored'));
    } finally {
      this.release(chunks);
    }
    // Stopping ends the wait: the connection is cut then, too.
    if (behaviours.has('reply-late'))
      await sleep(LATE_REPLY_MS, undefined, { signal: this.stopping.signal }).catch(() => {});
    done(null, '2.6.0 stored');
  }

  /** Reads what follows DATA, to its end even when it is too much: a reply belongs behind the final dot. */
  private async read(
    stream: SMTPServerDataStream,
    chunks: Buffer[],
    onChunk?: () => void,
  ): Promise<SMTPServerError | undefined> {
    let hasRoom = true;
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        onChunk?.();
        hasRoom &&= this.bufferedBytes + chunk.length <= MAX_BUFFERED_BYTES;
        if (hasRoom && !stream.sizeExceeded) {
          chunks.push(chunk);
          this.bufferedBytes += chunk.length;
        } else {
          this.release(chunks);
        }
      }
    } catch {
      return reply(451, '4.4.2 connection lost');
    }
    return hasRoom ? undefined : reply(452, '4.3.1 too much at once, try again later');
  }

  private release(chunks: Buffer[]): void {
    for (const { length } of chunks.splice(0)) this.bufferedBytes -= length;
  }
}

function envelopeOf(session: SMTPServerSession): Envelope {
  return {
    envelopeFrom: senderOf(session),
    to: session.envelope.rcptTo.map(({ address }) => address),
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
