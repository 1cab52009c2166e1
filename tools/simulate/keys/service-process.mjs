// @ts-check
// One process of a service that honours idempotency keys: the register, the guard and the response path of the service host
// as they are, with a use case of ours.
import { ApiError, operationSpec } from '../../../libs/contracts/dist/index.js';
import { SessionMark } from '../../../libs/database/dist/index.js';
import { createLogger } from '../../../libs/observability/dist/index.js';
import { ApiCall, CALL } from '../../../libs/service-host/dist/http/api-call.js';
import { OperationGuard } from '../../../libs/service-host/dist/http/operation.guard.js';
import { ErrorFilter, ResponseAdapter } from '../../../libs/service-host/dist/http/responses.js';
import { IdempotencyKeysController } from '../../../libs/service-host/dist/idempotency-keys.js';
import { Idempotency } from '../../../libs/service-host/dist/idempotency/idempotency.js';
import { openSource } from '../data-source.mjs';
import { SimulatedProcess } from '../process.mjs';
import { TIMES } from './limits.table.mjs';

const LOGGER = createLogger(/** @type {any} */ ({ logLevel: 'silent' }), 'simulate');
const SETTINGS = {
  idempotencyLeaseSeconds: TIMES.lease,
  idempotencyTtlSeconds: TIMES.replay,
  idempotencySecretTtlSeconds: TIMES.secretReplay,
  secretKeys: ['a-key-of-the-simulator-that-is-long-enough'],
};
const TRACER = /** @type {any} */ ({ follow: () => undefined });

export class ServiceProcess extends SimulatedProcess {
  async start() {
    this.mark = new SessionMark({ url: '', applicationName: this.schema, logger: LOGGER });
    this.dataSource = await openSource(this.schema);
    this.idempotency = new Idempotency(this.dataSource, SETTINGS, this.mark);
    this.guard = new OperationGuard(this.idempotency, TRACER);
    this.controller = new IdempotencyKeysController(this.idempotency);
  }

  /** SIGTERM: what runs is answered. */
  async stop() {
    this.isStopping = true;
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    await this.mark?.stop();
  }

  prune() {
    return this.idempotency?.prune(new AbortController().signal);
  }

  /** A question to the controller between services. @param {string} question @param {object} body */
  answer(question, body) {
    const controller = /** @type {any} */ (this.controller);
    return controller[question](Buffer.from(JSON.stringify(body)));
  }

  /**
   * A request of an operation, from its guard to the response that is sent.
   * @param {any} request @param {string} operation @param {any} principal
   * @param {(process: ServiceProcess, remember: any) => Promise<any>} run the use case
   * @returns {Promise<import('../../../libs/contracts/dist/index.js').ApiResponse>}
   */
  async handle(request, operation, principal, run) {
    const declared = /** @type {any} */ ({
      id: operation,
      spec: operationSpec(/** @type {any} */ (operation)),
    });
    const call = new ApiCall(declared, principal, request, this.idempotency);
    request[CALL] = call;
    const reply = replyOf(request);
    const context = /** @type {any} */ ({
      getType: () => 'http',
      getArgByIndex: () => request,
      switchToHttp: () => ({ getResponse: () => reply, getRequest: () => request }),
    });
    try {
      await this.guard?.canActivate(context);
      const response = await call.respond(
        (remember) => run(this, remember),
        (result) => result,
      );
      ResponseAdapter.prototype.reply.call(undefined, /** @type {never} */ (reply), response, 0);
    } catch (error) {
      new ErrorFilter(LOGGER).catch(error, context);
    }
    const { response } = /** @type {NonNullable<ApiCall['outcome']>} */ (call.outcome);
    try {
      await call.settle();
      return response;
    } catch {
      // the hook fails, and its error is sent
      return { status: 500, bytes: Buffer.from('') };
    }
  }
}

/** The part of a reply that is used before its hooks. @param {any} request */
function replyOf(request) {
  const reply = {
    request,
    sent: false,
    status: () => reply,
    header: () => reply,
    headers: () => reply,
    send: () => reply,
  };
  return reply;
}

/** @param {string} text @returns {ApiError} */
export const notFound = (text) => new ApiError(404, text);
