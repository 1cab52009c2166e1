import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { newId } from '@postmesh/contracts';
import type { Span } from '@postmesh/observability';
import type { PublicLink } from '@postmesh/public-links';
import type { ActiveKey } from '../api-keys/key-cache.js';
import type { RoutedOperation } from './operation-router.js';
import { bodyFrame, type BodyFrame } from './request-head.rules.js';

const NO_PARAMS = {};

/** One request and its response, with what the gateway has found out so far. */
export class Exchange {
  readonly requestId = newId();
  readonly begunAt = performance.now();
  /** raw path without the query */
  readonly path: string;
  readonly frame: BodyFrame;
  readonly socket: Socket;
  operation: RoutedOperation | undefined;
  /** the parts of the path that the operation has names for */
  params: Readonly<Record<string, string>> = NO_PARAMS;
  /** what needs no key is no operation: the documentation, or a link in a message */
  page: 'documentation' | PublicLink['kind'] | undefined;
  key: ActiveKey | undefined;
  /** looking its key up cost what a failed authentication costs */
  hasPaidFailure = false;
  /** bytes of the body as far as they were counted here */
  bytesIn: number | undefined;
  /** of a request that is traced */
  span: Span | undefined;
  private readonly writtenBefore: number;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly clientIp: string,
  ) {
    const url = request.url ?? '';
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
