import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Paramtype, PipeTransform } from '@nestjs/common';
import {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  HEADERS_METADATA,
  INTERCEPTORS_METADATA,
  PIPES_METADATA,
  REDIRECT_METADATA,
  RENDER_METADATA,
  ROUTE_ARGS_METADATA,
  RouteParamtypes,
} from '@nestjs/common/internal';
import {
  APP_FILTER,
  APP_GUARD,
  APP_INTERCEPTOR,
  APP_PIPE,
  MetadataScanner,
  type ModulesContainer,
} from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/internal';
import { ApiErrors, operationSpec, type ApiResponse, type OperationId } from '@postmesh/contracts';
import type { OperationCall } from '@postmesh/http';
import { ApiCall, CALL, type OperationRequest } from './api-call.js';
import { requireAccount } from './authentication.guard.js';
import { parseQueryString } from './input.pipes.js';
import { BEFORE_REPLAY, OPERATION, type OperationOptions } from './operation.decorator.js';
import type { OperationInterceptor } from './operation.interceptor.js';
import type { RequestBodies } from './request-bodies.js';
import type { ErrorFilter } from './responses.js';
import type { Idempotency } from '../idempotency/idempotency.js';

/** The parts that also serve operations over HTTP: each rule is in one of them. */
export interface OperationParts {
  readonly bodies: RequestBodies;
  /** undefined for services without a database */
  readonly idempotency: Idempotency | undefined;
  readonly interceptor: OperationInterceptor;
  readonly errors: ErrorFilter;
}

interface DirectRequest extends OperationRequest {
  readonly raw: IncomingMessage;
  /** the account whose share of the memory the body takes */
  readonly sharer: string;
}

interface BoundOperation extends OperationOptions {
  readonly hasBody: boolean;
  /** reads the parameters of the method and runs it */
  readonly run: (request: OperationRequest) => Promise<ApiResponse>;
}

/**
 * The operations of one service, for the gateway of the same process: calls the method of the operation that the
 * gateway has found, without a second router, chain of guards, interceptors and pipes, or observable (decision 88).
 * Every decision is made by the code that serves HTTP, in the same order.
 */
export class DirectOperations {
  private readonly operations: ReadonlyMap<OperationId, BoundOperation>;

  /** @throws Error that names an operation, or a module, by which Nest would serve in another way */
  constructor(
    modules: ModulesContainer,
    private readonly parts: OperationParts,
  ) {
    refuseGlobalChains(modules);
    this.operations = new Map(findOperations(modules));
  }

  /** Never rejects: an error is a response, too. */
  async serve(given: OperationCall): Promise<ApiResponse> {
    const { id, principal, params, url, headers, request: raw, freeKey } = given;
    const { bodies, idempotency, interceptor, errors } = this.parts;
    const request: DirectRequest = {
      method: raw.method ?? '',
      url,
      headers,
      params,
      query: parseQueryString(queryOf(url)),
      body: undefined,
      raw,
      freeKey,
      sharer: principal.account_id,
    };
    try {
      const operation = this.operations.get(id);
      if (!operation) throw ApiErrors.unknownPath();
      if (operation.hasBody && isFramed(request)) request.body = await bodies.read(request, raw);
      requireAccount(principal, params);
      const call = new ApiCall(principal, request, idempotency);
      request[CALL] = call;
      const called = { id, beforeReplay: operation.beforeReplay, call, request };
      const response = await interceptor.serve(called, () => operation.run(request));
      if (response.stream) await begun(response.stream);
      return response;
    } catch (error) {
      return errors.toResponse(error, request);
    } finally {
      bodies.release(request);
    }
  }
}

function queryOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}

/** Whether a body is announced, be it empty. */
const isFramed = ({ headers }: OperationRequest): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** A failure before the first byte gets an error response; after it, the response can only be cut. */
async function begun(stream: Readable): Promise<void> {
  // a stream that is over already emits nothing more
  if (!stream.closed && !stream.readableEnded)
    await Promise.race([once(stream, 'readable'), once(stream, 'close')]);
  if (stream.destroyed && !stream.readableEnded) throw new Error('the response ended before it began');
}

type Method = (...values: unknown[]) => Promise<ApiResponse>;

function* findOperations(modules: ModulesContainer): Generator<[OperationId, BoundOperation]> {
  const scanner = new MetadataScanner();
  for (const module of modules.values()) {
    for (const { instance } of module.controllers.values()) {
      const controller = instance as Record<string, Method>;
      for (const name of scanner.getAllMethodNames(Object.getPrototypeOf(controller) as object)) {
        const method = controller[name] as Method;
        const id = Reflect.getMetadata(OPERATION, method) as OperationId | undefined;
        if (id !== undefined) yield [id, bind(id, controller, name)];
      }
    }
  }
}

function bind(id: OperationId, controller: Record<string, Method>, name: string): BoundOperation {
  const method = controller[name] as Method;
  refuseChains(id, [method, controller.constructor as object]);
  const parameters = parametersOf(id, controller, name);
  return {
    // as in Fastify: the body of a GET is not read
    hasBody: operationSpec(id).method !== 'GET',
    beforeReplay: Reflect.getMetadata(BEFORE_REPLAY, method) as OperationOptions['beforeReplay'],
    run: async (request) => {
      const values: unknown[] = [];
      // one after another: the first error wins
      for (const { index, read } of parameters) values[index] = await read(request);
      return method.apply(controller, values);
    },
  };
}

const CHAINS = [
  ...[GUARDS_METADATA, INTERCEPTORS_METADATA, PIPES_METADATA, EXCEPTION_FILTERS_METADATA],
  ...[HEADERS_METADATA, REDIRECT_METADATA, RENDER_METADATA],
];

/** Refuses parts of an operation that only Nest would call. */
function refuseChains(id: OperationId, places: readonly object[]): void {
  const chain = CHAINS.find((name) => places.some((place) => Reflect.hasMetadata(name, place)));
  if (chain !== undefined) throw new Error(`${id}: operations have no ${chain} of their own`);
}

const GLOBAL_CHAINS = [APP_GUARD, APP_INTERCEPTOR, APP_PIPE, APP_FILTER];

/** Refuses parts that Nest would call for every route, whichever module provides them. */
function refuseGlobalChains(modules: ModulesContainer): void {
  for (const { name, providers, injectables } of modules.values()) {
    // those of request scope are injectables
    for (const token of [...providers.keys(), ...injectables.keys()]) {
      // Nest gives each a token of its own: `APP_GUARD (UUID: …)`
      const chain = GLOBAL_CHAINS.find((each) => typeof token === 'string' && token.startsWith(`${each} (`));
      if (chain !== undefined) throw new Error(`${name}: a module of a service provides no ${chain}`);
    }
  }
}

/** A parameter of a method, as in the metadata of Nest. */
interface NotedParameter {
  readonly index: number;
  readonly data: string | undefined;
  readonly pipes: readonly PipeTransform[];
  /** of decorators that were made by `createParamDecorator` */
  readonly factory?: (data: unknown, context: ExecutionContextHost) => unknown;
}

interface BoundParameter {
  readonly index: number;
  readonly read: (request: OperationRequest) => unknown;
}

/** In the order in which they are read (`sortParameters` of operation.decorator.ts). */
function parametersOf(id: OperationId, { constructor }: object, name: string): BoundParameter[] {
  const noted = (Reflect.getMetadata(ROUTE_ARGS_METADATA, constructor, name) ?? {}) as Record<
    string,
    NotedParameter
  >;
  return Object.entries(noted).map(([kind, parameter]) => {
    const { index, factory, data } = parameter;
    const source = factory ? made(factory, data) : SOURCES[Number(kind.split(':')[0])]?.(data);
    if (!source) throw new Error(`${id}: parameter ${index} is of a kind that operations do not take`);
    return { index, read: piped(source, parameter) };
  });
}

/** The source of a parameter. */
interface Source {
  readonly type: Paramtype;
  readonly of: (request: OperationRequest) => unknown;
}

const made = (factory: NonNullable<NotedParameter['factory']>, data: unknown): Source => ({
  type: 'custom',
  of: (request) => factory(data, new ExecutionContextHost([request])),
});

/** By Nest's types: the body and the query as a whole, a part of the path by its name. */
const SOURCES: Readonly<Record<number, (data: string | undefined) => Source | undefined>> = {
  [RouteParamtypes.BODY]: (data) =>
    data === undefined ? { type: 'body', of: ({ body }) => body } : undefined,
  [RouteParamtypes.QUERY]: (data) =>
    data === undefined ? { type: 'query', of: ({ query }) => query } : undefined,
  [RouteParamtypes.PARAM]: (data) =>
    data === undefined
      ? undefined
      : { type: 'param', of: ({ params }) => (params as Readonly<Record<string, string>>)[data] },
};

function piped({ type, of }: Source, { data, pipes }: NotedParameter): BoundParameter['read'] {
  if (pipes.length === 0) return of;
  return async (request) => {
    let value = of(request);
    for (const pipe of pipes) value = await pipe.transform(value, { type, data });
    return value;
  };
}
