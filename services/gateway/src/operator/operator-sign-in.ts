import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, ApiErrors } from '@postmesh/contracts';
import type { Logger } from '@postmesh/observability';
import { browserCookie, OidcErrors } from '@postmesh/oidc';
import { isFromConsole, sessionSecret } from '../console/console-request.rules.js';
import { OPERATOR_OIDC_COOKIE, type OperatorOidc } from './operator-oidc.js';
import {
  IDLE_MS,
  NO_OPERATOR_COOKIE,
  OPERATOR_COOKIE,
  operatorCookie,
  OperatorSessions,
} from './operator-sessions.js';
import type { Operators } from './operators.js';
import { sendJson } from './send-json.js';

/** Where a token is exchanged for a session. */
const SESSION = '/operator/session';
const WAYS = '/operator/sign-in-ways';
const OIDC_OPTIONS = '/operator/oidc-sign-ins/options';
const OIDC = '/operator/oidc-sign-ins';

/** The requests of a browser before it has a session. */
const OPEN = new Set([`POST ${SESSION}`, `GET ${WAYS}`, `POST ${OIDC_OPTIONS}`, `POST ${OIDC}`]);

export interface OperatorSignInOptions {
  readonly operators: Operators;
  /** left out: operators sign in by tokens alone */
  readonly oidc?: OperatorOidc | undefined;
  /** the address of the pages where it is not the one that a request names; a proxy may change the host */
  readonly baseUrl?: string | undefined;
  readonly logger: Logger;
}

const wrongToken = () => new ApiError(401, 'missing or wrong operator token');

/** The sessions of browsers, which keep no token: by a token (decision 121), or by the OpenID Connect provider (decision 130). */
export class OperatorSignIn {
  private readonly sessions = new OperatorSessions();
  private readonly ownOrigin: string | undefined;

  constructor(private readonly options: OperatorSignInOptions) {
    this.ownOrigin = options.baseUrl === undefined ? undefined : new URL(options.baseUrl).origin;
  }

  /** @param route as it was declared */
  isOpen(method: string, route: string): boolean {
    return OPEN.has(`${method} ${route}`);
  }

  /** @throws ApiError 401, 403 for a request of another site with the cookie of an operator */
  operatorOf({ method, headers }: FastifyRequest): string {
    const token = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
    const secret = token === undefined ? sessionSecret(headers, OPERATOR_COOKIE) : undefined;
    if (secret !== undefined) this.requireOwnPage({ method, headers });
    const name =
      secret === undefined ? this.options.operators.nameOf(token ?? '') : this.sessions.use(secret);
    if (name === undefined) throw wrongToken();
    return name;
  }

  /** @param operatorOf the operator of a request that has been let in */
  addTo(app: FastifyInstance, operatorOf: (request: FastifyRequest) => string): void {
    const { operators, oidc } = this.options;
    app.get(WAYS, (_request, reply) =>
      sendJson(reply, 200, { token: !operators.areNone, oidc: oidc ? { name: oidc.name } : null }),
    );
    app.post(SESSION, (request, reply) => {
      this.requireOwnPage(request);
      const { token } = fieldsOf(request);
      const operator = operators.nameOf(typeof token === 'string' ? token : '');
      if (operator === undefined) throw wrongToken();
      return this.begin(reply, { operator, way: 'token' }, {});
    });
    app.get(SESSION, (request, reply) => sendJson(reply, 200, sessionOf(operatorOf(request))));
    app.delete(SESSION, ({ headers }, reply) => {
      const secret = sessionSecret(headers, OPERATOR_COOKIE);
      if (secret !== undefined) this.sessions.end(secret);
      void reply.header('set-cookie', NO_OPERATOR_COOKIE);
      return sendJson(reply, 200, { message: 'signed out' });
    });
    app.post(OIDC_OPTIONS, async (request, reply) => {
      this.requireOwnPage(request);
      const known = sessionSecret(request.headers, OPERATOR_OIDC_COOKIE);
      const { url, browser } = await this.oidc().begin(fieldsOf(request)['to'], known);
      void reply.header('set-cookie', browserCookie(OPERATOR_OIDC_COOKIE, browser));
      return sendJson(reply, 200, { url });
    });
    app.post(OIDC, async (request, reply) => {
      this.requireOwnPage(request);
      const { response } = fieldsOf(request);
      const browser = sessionSecret(request.headers, OPERATOR_OIDC_COOKIE);
      const { operator, page } = await this.oidc().finish(String(response ?? ''), browser);
      return this.begin(reply, { operator, way: 'oidc' }, { to: page });
    });
  }

  private begin(
    reply: FastifyReply,
    { operator, way }: { operator: string; way: 'token' | 'oidc' },
    more: object,
  ): FastifyReply {
    const line = { event: 'operator.signed_in', operator, way };
    this.options.logger.info(line, 'operator signed in with a browser');
    void reply.header('set-cookie', operatorCookie(this.sessions.begin(operator)));
    return sendJson(reply, 201, { ...sessionOf(operator), ...more });
  }

  /** @throws ApiError 404 */
  private oidc(): OperatorOidc {
    if (!this.options.oidc) throw OidcErrors.off();
    return this.options.oidc;
  }

  /** @throws ApiError 403 */
  private requireOwnPage({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): void {
    if (!isFromConsole(method, headers, this.ownOrigin)) throw ApiErrors.notFromConsole();
  }
}

const sessionOf = (operator: string) => ({ operator, idle_minutes: IDLE_MS / 60_000 });

const fieldsOf = ({ body }: FastifyRequest): Record<string, unknown> =>
  typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
