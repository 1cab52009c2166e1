import { Inject, Injectable } from '@nestjs/common';
import type { Dispatcher } from 'undici';
import {
  ApiErrors,
  apiResponse,
  OIDC_COOKIE,
  Transient,
  type ApiResponse,
  type KeyHolder,
  type OperationId,
  type Principal,
  type ServiceName,
} from '@postmesh/contracts';
import {
  attachCall,
  isWorthAnotherTry,
  PrincipalMinter,
  ServiceDirectory,
  type RemoteService,
} from '@postmesh/http';
import {
  BODY_ROOMS,
  LARGE_FROM_BYTES,
  readStart,
  SETTINGS,
  toRoomError,
  uploadPace,
  type BodyRooms,
  type UploadPace,
} from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { sessionSecret } from '../console/console-request.rules.js';
import { CallerAudit } from '../audit/caller-audit.js';
import type { Exchange } from '../http-api/exchange.js';
import type { RoutedOperation } from '../http-api/operation-router.js';
import { respond, send, writeHead } from '../http-api/responding.js';
import { ClientBody, ClientGone } from './client-body.js';
import { forwardedHeaders, publicHeaders, returnedHeaders, toForwardError } from './forward.rules.js';
import { smtpSettings } from '../smtp/smtp-settings.rules.js';
import { isComposed, SubAccountFigures, type Composed } from './sub-account-figures.js';
import { holderIn, IdempotencyRegister, keyOf, type KeyedRequest } from './idempotency-register.js';

/** A request to a service. */
interface Target {
  service: ServiceName;
  /** path and query */
  url: string;
  headers: Record<string, string>;
  bodyLimit: number;
  /** the account whose share of the memory for bodies it uses */
  account: string;
  /** of an operation that honours an idempotency key, with one */
  keyed?: KeyedRequest | undefined;
  complete?: Composed['complete'];
}

/** A body that was admitted for a service in another process. */
interface AdmittedBody {
  /** a stream for a large body */
  readonly bytes: Buffer | ClientBody;
  readonly release: () => void;
}

/** A page of a service that needs no key. */
export interface PublicTarget {
  service: ServiceName;
  path: string;
  /** bytes */
  bodyLimit: number;
}

// A service reads a large body once it has memory for it (decision 34): 45 s of waiting, and the request itself.
const LARGE_RESPONSE_MS = 90_000;

// A key that was freed can be taken again before the request arrives; after this many rounds it counts as held.
const MAX_ROUNDS = 3;

/** Forwards an admitted request to its service: the request itself in this process, else over HTTP. */
@Injectable()
export class Forwarding {
  private readonly pace: UploadPace;

  constructor(
    private readonly directory: ServiceDirectory,
    private readonly minter: PrincipalMinter,
    private readonly register: IdempotencyRegister,
    private readonly figures: SubAccountFigures,
    private readonly audit: CallerAudit,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(BODY_ROOMS) private readonly rooms: BodyRooms,
  ) {
    this.pace = uploadPace(settings);
  }

  /** @throws ApiError, Transient (503) or Error (500) as long as no response has begun */
  async forward(exchange: Exchange, operation: RoutedOperation, caller: Principal): Promise<void> {
    const { request, response, requestId, clientIp } = exchange;
    const { service } = operation;
    if (service === 'gateway') return respond(exchange, this.own(operation.id));
    await this.audit.begin(exchange, operation, caller);
    const { id, idempotent } = operation;
    const { principal, complete }: Composed = isComposed(id)
      ? await this.figures.compose(id, exchange.params, caller)
      : { principal: caller };
    const key = idempotent === false ? undefined : keyOf(request.headers);
    const keyed = key === undefined ? undefined : { accountId: principal.account_id, key, service };
    const keyEntry = keyed && (await this.register.enter(keyed));
    letSend(exchange);
    const url = request.url ?? '';
    const traceparent = exchange.span?.traceparent;
    const browser = browserOf(exchange);
    const ours = {
      requestId,
      clientIp,
      keyEntry,
      figuresLater: complete !== undefined,
      traceparent,
      browser,
    };
    const local = this.directory.findLocal(service);
    if (local) {
      const freeKey = keyed && ((holder: KeyHolder) => this.register.free(keyed, holder));
      attachCall(request, { principal, freeKey, complete });
      request.headers = forwardedHeaders(request.headers, ours);
      return local.route(request, response);
    }
    const token = this.minter.mint(principal, service);
    const headers = forwardedHeaders(request.headers, { ...ours, principal: token });
    const bodyLimit = this.settings.bodyLimitBytes;
    const account = principal.account_id;
    await this.overHttp(exchange, { service, url, headers, bodyLimit, account, keyed, complete });
  }

  /** The operations that need no service. */
  private own(id: OperationId): ApiResponse {
    return apiResponse(200, id === 'ping' ? { message: 'pong' } : smtpSettings(this.settings));
  }

  /**
   * For public links: without a principal, and with a body of any type.
   * @throws ApiError 413; Transient (503) or Error (500) as long as no response has begun
   */
  async forwardPublic(exchange: Exchange, { service, path, bodyLimit }: PublicTarget): Promise<void> {
    const { request, response, frame, requestId, clientIp } = exchange;
    if (frame.length !== undefined && frame.length > bodyLimit) throw ApiErrors.bodyTooLarge();
    const headers = publicHeaders(request.headers, { requestId, clientIp, browser: browserOf(exchange) });
    // Node sends no body in the response to a HEAD, whatever the service writes
    if (request.method === 'HEAD') request.method = 'GET';
    letSend(exchange);
    const local = this.directory.findLocal(service);
    if (!local)
      return this.overHttp(exchange, {
        service,
        url: path,
        headers,
        bodyLimit,
        account: `public/${clientIp}`,
      });
    request.headers = headers;
    request.url = path;
    local.route(request, response);
  }

  /** Streams the request to a service in another process, and its response back. */
  private async overHttp(exchange: Exchange, target: Target): Promise<void> {
    // between undici and the service the content length alone is used
    const { 'transfer-encoding': _chunked, ...headers } = target.headers;
    const received = await this.sendRequest(exchange, { ...target, headers });
    if (target.complete && received.statusCode === 200) {
      const body = Buffer.from(await received.body.arrayBuffer());
      return respond(exchange, { status: 200, bytes: await target.complete(body) });
    }
    if (received.statusCode >= 400 && exchange.key) return refuse(exchange, received);
    writeHead(exchange, received.statusCode, returnedHeaders(received.headers));
    await send(exchange, received.body);
  }

  private async sendRequest(exchange: Exchange, target: Target): Promise<Dispatcher.ResponseData> {
    const { request, frame } = exchange;
    if (!frame.present) return this.sendKeyed(exchange, target, undefined);
    const body = await this.admit(exchange, target).catch((error: unknown) => {
      throw request.destroyed && !request.complete ? new ClientGone() : error;
    });
    try {
      return await this.sendKeyed(exchange, target, body.bytes);
    } finally {
      body.release();
    }
  }

  /** Once more when the service found the idempotency key with another one that has given it up now. */
  private async sendKeyed(
    exchange: Exchange,
    { keyed, ...target }: Target,
    body: AdmittedBody['bytes'] | undefined,
  ): Promise<Dispatcher.ResponseData> {
    for (let round = 1; ; round += 1) {
      const received = await this.sendBody(exchange, target, body);
      const holder = keyed && received.statusCode === 422 ? holderIn(received.headers) : undefined;
      if (!keyed || !holder) return received;
      await received.body.dump();
      if (round > MAX_ROUNDS || !(await this.register.free(keyed, holder)))
        throw ApiErrors.idempotencyMismatch();
      if (body instanceof ClientBody)
        throw new Transient(
          'the idempotency key was freed after the body was read, the client repeats the request',
        );
    }
  }

  /**
   * A small body is complete before it uses one of the connections to the service, so that slow clients delay no others. A
   * large one is streamed on connections of its own, once there is memory for it.
   */
  private async admit(exchange: Exchange, { account, bodyLimit }: Target): Promise<AdmittedBody> {
    const { request, frame } = exchange;
    if (frame.length !== undefined && frame.length >= LARGE_FROM_BYTES) {
      const release = await this.enter(exchange, account, frame.length);
      return { bytes: new ClientBody(request, bodyLimit), release };
    }
    const { rooms, pace } = this;
    const start = await readStart(request, { account, limit: bodyLimit }, { rooms, pace });
    exchange.bytesIn = start.bytes.length;
    if (start.whole) return start;
    const release = await this.enter(exchange, account, bodyLimit).finally(start.release);
    return { bytes: new ClientBody(request, bodyLimit, start.bytes), release };
  }

  /** @throws ApiError 503 when there is no memory in time */
  private async enter({ request }: Exchange, account: string, size: number): Promise<() => void> {
    const gone = new AbortController();
    const leave = () => gone.abort(new ClientGone());
    request.once('close', leave);
    try {
      return await this.rooms.large.enter(account, size, gone.signal);
    } catch (error) {
      throw toRoomError(error);
    } finally {
      request.off('close', leave);
    }
  }

  /** Ends the request when its client disconnects: the service sees its connection close, and stops waiting. */
  private async sendBody(
    exchange: Exchange,
    target: Target,
    body: AdmittedBody['bytes'] | undefined,
  ): Promise<Dispatcher.ResponseData> {
    const gone = new AbortController();
    const leave = () => gone.abort(new ClientGone());
    exchange.response.once('close', leave);
    try {
      return await this.sendUntil(gone.signal, exchange, { ...target, body });
    } finally {
      exchange.response.off('close', leave);
    }
  }

  private async sendUntil(
    signal: AbortSignal,
    exchange: Exchange,
    { body, ...target }: Target & { body: AdmittedBody['bytes'] | undefined },
  ): Promise<Dispatcher.ResponseData> {
    const remote = this.directory.remoteOf(target.service);
    const method = exchange.request.method ?? '';
    for (let tries = 1; ; tries += 1) {
      try {
        return await sendTo(remote, method, { ...target, signal }, body);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        const attempt = { method, untouched: !(body instanceof ClientBody) || body.untouched };
        if (tries === 1 && isWorthAnotherTry(error, attempt)) {
          if (body instanceof ClientBody) body = body.again();
          continue;
        }
        throw toForwardError(error, target.service, attempt);
      } finally {
        if (body instanceof ClientBody) exchange.bytesIn = body.bytes;
      }
    }
  }
}

/** The error of a service, which is short (ApiError): its text is for the request log, too. */
async function refuse(
  exchange: Exchange,
  { statusCode, headers, body }: Dispatcher.ResponseData,
): Promise<void> {
  const bytes = Buffer.from(await body.arrayBuffer());
  exchange.errorShown = bytes;
  // the client got a 503 because the process stops (http-listener.ts)
  if (exchange.response.headersSent) return;
  writeHead(exchange, statusCode, returnedHeaders(headers));
  exchange.response.end(bytes);
}

/** Sends 100 Continue to a client that waits for it (RFC 9110 §10.1.1), after every check. */
function letSend({ request, response }: Exchange): void {
  if (request.headers.expect !== undefined) response.writeContinue();
}

/** The secret of a browser that was sent to the OpenID Connect provider; other requests than those of the console have none. */
const browserOf = ({ isConsole, request }: Exchange): string | undefined =>
  isConsole ? sessionSecret(request.headers, OIDC_COOKIE) : undefined;

function sendTo(
  { pool, streams, prefix }: RemoteService,
  method: string,
  { url, headers, signal }: Target & { signal: AbortSignal },
  body: AdmittedBody['bytes'] | undefined,
): Promise<Dispatcher.ResponseData> {
  const large = body instanceof ClientBody;
  return (large ? streams : pool).request({
    method: method as Dispatcher.HttpMethod,
    path: prefix + url,
    headers,
    signal,
    body: body ?? null,
    ...(large ? { headersTimeout: LARGE_RESPONSE_MS } : {}),
  });
}
