import { Inject, Injectable } from '@nestjs/common';
import { withExactNumbers } from '@postmesh/contracts';

import {
  bodyRooms,
  LARGE_FROM_BYTES,
  parseJsonBody,
  readStart,
  SETTINGS,
  toPaceError,
  toRoomError,
  uploadPace,
  type BodyRooms,
  type UploadPace,
} from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { ClientBody, ClientGone } from '../forward/client-body.js';
import type { Exchange } from '../http-api/exchange.js';
import { checkBody } from '../http-api/request-head.rules.js';
import type { DialectRoute } from './dialect.js';
import { isForm, parseForm } from './form.js';

/** The body of a request in a dialect. */
export interface ReadBody {
  /** JSON, or the parts of a form by name; undefined when there is none */
  readonly parsed: unknown;
  /** bytes that are the same for the same request */
  readonly identity: () => Buffer;
  /** gives its memory back */
  readonly release: () => void;
}

// Bodies of dialects are read here before a service reads what becomes of them: they have a budget of their own, so that
// none waits for memory that another one of them holds. A quarter of that of services, and room for one large body.
const SHARE = 4;
const MIN_SMALL_BYTES = 6_291_456;

/** Values of templates keep the digits of their numbers, as in our own API (spec 2-messages §1.5). */
const VALUES = ['variables', 'TemplateModel', 'dynamic_template_data'];

/** Reads bodies of requests in dialects, within the limits of those of the API. */
@Injectable()
export class RequestReader {
  private readonly rooms: BodyRooms;
  private readonly pace: UploadPace;
  private readonly limit: number;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.limit = settings.bodyLimitBytes;
    this.pace = uploadPace(settings);
    this.rooms = bodyRooms({
      largeBytes: Math.max(settings.largeBytes / SHARE, LARGE_FROM_BYTES),
      bodyBytes: Math.max(settings.bodyBytes / SHARE, MIN_SMALL_BYTES),
    });
  }

  /** @throws ApiError 400, 408, 413, 415, 429, 503 */
  async read(exchange: Exchange, { accepts }: DialectRoute, account: string): Promise<ReadBody> {
    const { request, frame } = exchange;
    checkBody(request.headers, frame, this.limit, accepts === 'form' ? isForm : undefined);
    if (request.headers.expect !== undefined) exchange.response.writeContinue();
    if (!frame.present) return { parsed: undefined, identity: () => Buffer.alloc(0), release: () => {} };
    const { bytes, release } = await this.bytesOf(exchange, account);
    try {
      if (accepts === 'form') {
        const parsed = await parseForm(bytes, request.headers['content-type'] ?? '');
        // the boundary of a multipart body is new with each repetition
        return { parsed, identity: () => Buffer.from(JSON.stringify(parsed)), release };
      }
      const isEmpty = bytes.length === 0;
      const parsed = isEmpty
        ? undefined
        : withExactNumbers(parseJsonBody(bytes), () => bytes.toString(), VALUES);
      return { parsed, identity: () => bytes, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  private async bytesOf(
    exchange: Exchange,
    account: string,
  ): Promise<{ bytes: Buffer; release: () => void }> {
    const { rooms, pace, limit } = this;
    const { request, frame } = exchange;
    try {
      if (frame.length !== undefined && frame.length >= LARGE_FROM_BYTES)
        return await this.large(exchange, account, frame.length);
      const start = await readStart(request, { account, limit }, { rooms, pace });
      exchange.bytesIn = start.bytes.length;
      if (start.whole) return start;
      return await this.large(exchange, account, limit, start.bytes).finally(start.release);
    } catch (error) {
      throw request.destroyed && !request.complete ? new ClientGone() : toRoomError(error);
    }
  }

  /** A body of 1 MiB and more is read once there is memory for it. */
  private async large(exchange: Exchange, account: string, size: number, start?: Buffer) {
    const { request } = exchange;
    const gone = new AbortController();
    const leave = () => gone.abort(new ClientGone());
    request.once('close', leave);
    const release = await this.rooms.large
      .enter(account, size, gone.signal)
      .finally(() => request.off('close', leave));
    const body = new ClientBody(request, this.limit, start);
    const watched = this.pace.watch((verdict) => body.destroy(toPaceError(verdict)), {
      isWaitedFor: () => this.rooms.large.othersWait(account),
    });
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of body as AsyncIterable<Buffer>) {
        watched.arrived(chunk.length);
        chunks.push(chunk);
      }
      exchange.bytesIn = body.bytes;
      return { bytes: Buffer.concat(chunks), release };
    } catch (error) {
      release();
      throw error;
    } finally {
      watched.stop();
    }
  }
}
