import { Injectable } from '@nestjs/common';
import type { Principal } from '@postmesh/contracts';
import { PrincipalMinter, ServiceDirectory } from '@postmesh/internal-http';
import type { Exchange } from '../http-api/exchange.js';
import type { RoutedOperation } from '../http-api/operation-router.js';
import { forwardedHeaders } from './forwarded-headers.rules.js';
import { OverHttp } from './over-http.js';

const PONG = '{"message":"pong"}';

/** Hands a request that may pass to its service: in this process as it is, else over HTTP. */
@Injectable()
export class Forwarding {
  constructor(
    private readonly directory: ServiceDirectory,
    private readonly minter: PrincipalMinter,
    private readonly overHttp: OverHttp,
  ) {}

  async forward(exchange: Exchange, operation: RoutedOperation, principal: Principal): Promise<void> {
    const { request, response, requestId, clientIp } = exchange;
    const { service } = operation;
    if (service === 'gateway') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': PONG.length });
      response.end(PONG);
      return;
    }
    const headers = forwardedHeaders(request.headers, {
      principal: this.minter.mint(principal, service),
      requestId,
      clientIp,
    });
    // the client waits for leave to send its body (RFC 9110 §10.1.1); it has passed every check now
    if (request.headers.expect !== undefined) response.writeContinue();
    const local = this.directory.findLocal(service);
    if (!local) return this.overHttp.forward(exchange, service, headers);
    request.headers = headers;
    local.route(request, response);
  }
}
