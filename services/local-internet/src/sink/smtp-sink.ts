import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { pause } from '@postmesh/concurrency';
import type { Logger } from '@postmesh/observability';
import { selfSignedCertificate } from '@postmesh/secrets';
import type {
  SMTPServerAddress,
  SMTPServerDataStream,
  SMTPServerError,
  SMTPServerSession,
} from 'smtp-server';
import { SINK_HOST } from '../dns/look-up.rules.js';
import type { Transaction } from '../houses/house-limits.rules.js';
import type { Stage } from '../houses/house-script.js';
import type { RunningHouse } from '../houses/running-house.js';
import type { Envelope } from '../messages/message.rules.js';
import { behaviourOf, Greylist, type Behaviour } from './recipient-behaviour.rules.js';
import { SinkServer } from './sink-server.js';

/** Resolves when the message is stored; the sender gets 250 then, and 451 when it rejects. */
type StoreMessage = (envelope: Envelope, raw: Buffer) => Promise<void>;

const MAX_MESSAGE_BYTES = 50 * 1024 * 1024;
const MAX_BUFFERED_BYTES = 256 * 1024 * 1024;
const MAX_CLIENTS = 2_000;
const LATE_REPLY_MS = 5_000;

type Done = (error?: SMTPServerError | null, message?: string) => void;

/** Octets of messages that all sinks together may hold. */
export class SinkMemory {
  private used = 0;

  /** @returns false when that is too much; nothing is reserved then */
  take(bytes: number): boolean {
    if (this.used + bytes > MAX_BUFFERED_BYTES) return false;
    this.used += bytes;
    return true;
  }

  release(bytes: number): void {
    this.used -= bytes;
  }
}

export interface SinkOptions {
  store: StoreMessage;
  memory: SinkMemory;
  logger: Logger;
  /** behaviour in addition to that of recipient addresses */
  house?: RunningHouse;
}

/** Accepts every message, unless the local part of its address or its house demands otherwise. */
export class SmtpSink {
  private readonly greylist = new Greylist();
  private readonly stopping = new AbortController();
  private readonly server: SinkServer;
  private readonly house: RunningHouse | undefined;

  private constructor(private readonly options: SinkOptions) {
    const { house, logger } = options;
    this.house = house;
    this.server = new SinkServer({
      house,
      name: house?.host ?? SINK_HOST,
      banner: 'local internet, nothing leaves this machine',
      ...(house?.tls ?? selfSignedCertificate([SINK_HOST, 'localhost', '127.0.0.1'])),
      hideSTARTTLS: house?.offersTls === false,
      disabledCommands: ['AUTH'],
      disableReverseLookup: true,
      hideENHANCEDSTATUSCODES: false,
      size: MAX_MESSAGE_BYTES,
      rejectOversized: true,
      maxClients: MAX_CLIENTS,
      closeTimeout: 1_000,
      logger: false,
      onMailFrom: (address, session, done) => done(this.atMail(address, session)),
      onRcptTo: (address, session, done) => done(this.rejection(address, session)),
      onData: (stream, session, done) => void this.receive(stream, session, done),
    });
    // Clients that disconnect in the middle are expected here.
    this.server.on('error', (error) =>
      logger.debug({ event: 'sink.connection_failed', err: error }, 'an SMTP connection failed'),
    );
  }

  /** @param listen a free port of 127.0.0.1 by default. @throws Error when it cannot listen there */
  static async start(options: SinkOptions, { address = '127.0.0.1', port = 0 } = {}): Promise<SmtpSink> {
    const sink = new SmtpSink(options);
    await once(sink.server.listen(port, address), 'listening');
    return sink;
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  /** Changes the certificate of its house, or removes it. */
  tlsChanged(): void {
    if (this.house) this.server.useTls(this.house.tls, this.house.offersTls);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.cutAll();
    await closed;
  }

  private atMail({ address }: SMTPServerAddress, session: SMTPServerSession): SMTPServerError | null {
    return this.houseReply('mail', session, { sender: address, recipients: [] });
  }

  private rejection(recipient: SMTPServerAddress, session: SMTPServerSession): SMTPServerError | null {
    const sender = senderOf(session);
    const ofHouse = this.houseReply('rcpt', session, { sender, recipients: [recipient.address] });
    if (ofHouse !== null) return ofHouse;
    const behaviour = behaviourOf(recipient.address);
    if (behaviour.kind === 'reject') return reply(behaviour.code, behaviour.text);
    if (behaviour.kind !== 'greylist') return null;
    const isAdmitted = this.greylist.admits(sender, recipient.address);
    return isAdmitted ? null : reply(451, '4.7.1 greylisted, try again later');
  }

  private houseReply(
    stage: Stage,
    { id, remoteAddress: source }: SMTPServerSession,
    about: Omit<Transaction, 'source'>,
  ): SMTPServerError | null {
    const rejected = this.house?.rejection(stage, { source, ...about }, id);
    return rejected === undefined ? null : reply(rejected.code, rejected.text);
  }

  private async receive(stream: SMTPServerDataStream, session: SMTPServerSession, done: Done): Promise<void> {
    const envelope = envelopeOf(session);
    const behaviours = this.behavioursFor(envelope);
    const cut = (): void => this.server.cut(session.id);
    const chunks: Buffer[] = [];
    try {
      const error = await this.read(stream, chunks, behaviours.has('cut-during-data') ? cut : undefined);
      if (error !== undefined) return done(error);
      // smtp-server sends the reply.
      if (stream.sizeExceeded) return done();
      if (behaviours.has('cut-after-dot') || behaviours.has('cut-during-data')) return cut();
      const { envelopeFrom: sender, to: recipients } = envelope;
      const ofHouse = this.houseReply('data', session, { sender, recipients });
      if (ofHouse !== null) return done(ofHouse);
      await this.options.store(envelope, Buffer.concat(chunks));
    } catch (error) {
      this.options.logger.error({ event: 'sink.store_failed', err: error }, 'a message was not stored');
      return done(reply(451, '4.3.0 the message could not be stored'));
    } finally {
      this.release(chunks);
    }
    if (this.house?.script.cut === 'after-dot') return cut();
    const isLast = this.house?.accepted(session.remoteAddress, session.id) === 'last';
    // Stopping ends the wait: the connection is cut then, too.
    if (behaviours.has('reply-late')) await pause(LATE_REPLY_MS, this.stopping.signal);
    if (isLast) this.server.leaveAfterReply(session.id);
    done(null, '2.6.0 stored');
  }

  /** Applies the behaviour of the addresses and of the house to a message. */
  private behavioursFor({ to }: Envelope): ReadonlySet<Behaviour['kind']> {
    const kinds = new Set<Behaviour['kind']>(to.map((address) => behaviourOf(address).kind));
    const cut = this.house?.script.cut;
    if (cut === 'before-dot') kinds.add('cut-during-data');
    if (cut === 'at-dot') kinds.add('cut-after-dot');
    return kinds;
  }

  /** Reads the data to its end even when it is too much: a reply comes after the final dot. */
  private async read(
    stream: SMTPServerDataStream,
    chunks: Buffer[],
    onChunk?: () => void,
  ): Promise<SMTPServerError | undefined> {
    let hasRoom = true;
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        onChunk?.();
        hasRoom &&= stream.sizeExceeded || this.options.memory.take(chunk.length);
        if (hasRoom && !stream.sizeExceeded) chunks.push(chunk);
        else this.release(chunks);
      }
    } catch {
      return reply(451, '4.4.2 connection lost');
    }
    return hasRoom ? undefined : reply(452, '4.3.1 too much at once, try again later');
  }

  private release(chunks: Buffer[]): void {
    for (const { length } of chunks.splice(0)) this.options.memory.release(length);
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
