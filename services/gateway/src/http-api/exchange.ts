import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { CONSOLE_PREFIX, newId } from '@postmesh/contracts';
import type { Span } from '@postmesh/observability';
import type { PublicLink } from '@postmesh/public-links';
import type { ActiveKey } from '../api-keys/key-cache.js';
import type { Dialect } from '../dialects/dialect.js';
import type { RoutedOperation } from './operation-router.js';
import { bodyFrame, type BodyFrame } from './request-head.rules.js';

/** A request to a path of another service's API. */
interface SpokenDialect extends Pick<Dialect, 'name' | 'secretOf' | 'verify' | 'error'> {
  /** `resend.emails.send`; undefined for a method that its path does not have */
  routeId?: string;
}

const NO_PARAMS = {};

/** One request and its response, with the results of the gateway's checks so far. */
export class Exchange {
  readonly requestId = newId();
  readonly begunAt = performance.now();
  /** raw path without the query */
  readonly path: string;
  readonly frame: BodyFrame;
  readonly socket: Socket;
  /** below `/console/api`: the caller is a session. An operation of the API there has its own path from here on */
  readonly isConsole: boolean;
  operation: RoutedOperation | undefined;
  /** path parameters of the operation */
  params: Readonly<Record<string, string>> = NO_PARAMS;
  /** the kind of a page that needs no key: the documentation, the console, a sign-in to it, or a link in a message */
  page: 'documentation' | 'console' | 'sign-in' | 'return' | PublicLink['kind'] | undefined;
  /** the dialect that the client speaks, and the route in it once it is known */
  dialect: SpokenDialect | undefined;
  key: ActiveKey | undefined;
  /** the look-up of its key already cost the token of a failed authentication */
  hasPaidFailure = false;
  /** bytes of the body that were counted so far */
  bytesIn: number | undefined;
  /** the text of an error, or the body of a service's response, when the status is 400 or more */
  errorShown: string | Buffer | undefined;
  /** present when the request is traced */
  span: Span | undefined;
  private readonly writtenBefore: number;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly clientIp: string,
  ) {
    const given = request.url ?? '';
    this.isConsole = given.startsWith(`${CONSOLE_PREFIX}/`);
    const url = given.startsWith(`${CONSOLE_PREFIX}/v2/`) ? given.slice(CONSOLE_PREFIX.length) : given;
    if (url !== given) request.url = url;
    const query = url.indexOf('?');
    this.path = query < 0 ? url : url.slice(0, query);
    this.frame = bodyFrame(request.headers);
    this.socket = request.socket;
    this.writtenBefore = this.socket.bytesWritten;
    response.setHeader('x-request-id', this.requestId);
  }

  get bytesOut(): number {
    return this.socket.bytesWritten - this.writtenBefore;
  }
}
