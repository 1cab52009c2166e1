import type { IncomingMessage, ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { ApiErrors, apiResponse, IpNetworks, type ApiError } from '@postmesh/contracts';
import { SETTINGS, toApiError } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { AccountStreams } from '../console/account-streams.js';
import { Dialects } from '../dialects/dialects.js';
import { ClientGone } from '../forward/client-body.js';
import { Forwarding } from '../forward/forwarding.js';
import { Admission } from './admission.js';
import { AnonymousRequests } from './anonymous-requests.js';
import { Exchange } from './exchange.js';
import { allowedMethods, OperationRouter, parametersOf, type RoutedOperation } from './operation-router.js';
import { checkBody, clientIp } from './request-head.rules.js';
import { RequestLog } from './request-log.js';
import { respond } from './responding.js';

/** Checks every API request in the order of spec 1-platform §1.5 before a service gets it. */
@Injectable()
export class ApiRequests {
  private readonly router = new OperationRouter();
  private readonly trustedProxies: IpNetworks;

  constructor(
    private readonly admission: Admission,
    private readonly forwarding: Forwarding,
    private readonly anonymous: AnonymousRequests,
    private readonly streams: AccountStreams,
    private readonly dialects: Dialects,
    private readonly log: RequestLog,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.trustedProxies = new IpNetworks(settings.trustedProxies);
  }

  /** Responds to any request; never rejects. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const forwardedFor = request.headers['x-forwarded-for'];
    const ip = clientIp(request.socket.remoteAddress, String(forwardedFor ?? ''), this.trustedProxies);
    const exchange = new Exchange(request, response, ip);
    response.once('close', () => this.log.ended(exchange));
    try {
      await this.pass(exchange);
    } catch (error) {
      if (error instanceof ClientGone) return;
      const apiError = toApiError(error);
      if (apiError.status >= 500) this.log.failed(exchange, error, apiError.status === 503);
      await respondError(exchange, apiError);
    }
  }

  private async pass(exchange: Exchange): Promise<void> {
    const served = this.anonymous.serve(exchange);
    if (served) return served;
    const operation = this.findOperation(exchange);
    if (!operation) return this.serveDialect(exchange);
    const key = await this.admission.admit(exchange, operation);
    checkBody(exchange.request.headers, exchange.frame, this.settings.bodyLimitBytes);
    if (operation.id === 'events.stream') {
      return this.streams.begin(
        exchange,
        key.principal,
        async () => (await this.admission.caller(exchange)).principal,
      );
    }
    this.log.forwarded(exchange, operation.id);
    await this.forwarding.forward(exchange, operation, key.principal);
  }

  private async serveDialect(exchange: Exchange): Promise<void> {
    const key = await this.admission.authenticate(exchange);
    await this.dialects.serve(exchange, key, {
      prove: (check) => this.admission.prove(exchange, check),
      enter: async () => {
        await this.admission.enter(key);
        this.log.forwarded(exchange, exchange.dialect?.routeId ?? '');
      },
    });
  }

  /** Step 2: path and method. @returns undefined for a path of another service's API that is spoken here (decision 132) */
  private findOperation(exchange: Exchange): RoutedOperation | undefined {
    const known = this.router.find(exchange.path);
    if (!known) {
      if (exchange.isConsole || !this.dialects.find(exchange)) throw ApiErrors.unknownPath();
      return undefined;
    }
    const operation = known.methods.get(exchange.request.method ?? '');
    if (!operation) throw ApiErrors.methodNotAllowed(allowedMethods(known));
    exchange.operation = operation;
    exchange.params = parametersOf(operation, known);
    return operation;
  }
}

async function respondError(exchange: Exchange, error: ApiError): Promise<void> {
  const { response, dialect } = exchange;
  const { status, message, headers } = error;
  exchange.errorShown = message;
  // a response that has begun cannot be replaced; closing the connection shows that it is incomplete
  if (response.headersSent) return void response.destroy();
  const made = dialect?.error(error) ?? apiResponse(status, { message });
  await respond(exchange, { ...made, headers: { ...headers, ...made.headers } });
}
