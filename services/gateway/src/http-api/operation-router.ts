import { ALL_OPERATIONS, type OperationId, type OperationSpec } from '@postmesh/contracts';

/** A route with the positions of its path parameters. */
type Routed<R> = R & {
  /** path parameters with the index of their segment */
  readonly parameters: readonly (readonly [name: string, at: number])[];
};

interface OperationRoute extends OperationSpec {
  readonly id: OperationId;
  /** the path names an account: the key must belong to it */
  readonly underAccount: boolean;
}
export type RoutedOperation = Routed<OperationRoute>;

/** The routes of a path by method. */
interface KnownPath<R> {
  readonly methods: ReadonlyMap<string, Routed<R>>;
  /** its segments, decoded */
  readonly segments: readonly string[];
}

interface Node<R> {
  readonly literal: Map<string, Node<R>>;
  parameter: Node<R> | undefined;
  readonly methods: Map<string, Routed<R>>;
}

const newNode = <R>(): Node<R> => ({ literal: new Map(), parameter: undefined, methods: new Map() });

const ACCOUNT_PREFIX = '/accounts/{account_id}';
const PARAMETER = /^\{(\w+)\}$/;

/**
 * Finds routes by path, segment by segment. A literal segment wins over a parameter
 * (spec 1-platform §10.3); a parameter is never empty. Segments are compared decoded, like in the routers of the
 * services: `%75sage` is `usage` to both.
 */
export class PathRouter<R extends { readonly method: string; readonly path: string }> {
  private readonly root = newNode<R>();

  constructor(routes: Iterable<R>) {
    for (const route of routes) this.add(route);
  }

  /** @param path raw, without the query */
  find(path: string): KnownPath<R> | undefined {
    // a fragment is no part of a request target (RFC 9110 §7.1)
    if (!path.startsWith('/') || path.includes('#')) return undefined;
    const segments = path.includes('%') ? decoded(path) : path.split('/');
    const node = segments && descend(this.root, segments, 1);
    return node && { methods: node.methods, segments };
  }

  private add(route: R): void {
    let node = this.root;
    const parameters: (readonly [string, number])[] = [];
    for (const [at, segment] of route.path.split('/').entries()) {
      if (at === 0) continue;
      const name = PARAMETER.exec(segment)?.[1];
      if (name !== undefined) {
        parameters.push([name, at]);
        node = node.parameter ??= newNode();
      } else {
        const next: Node<R> = node.literal.get(segment) ?? newNode();
        node.literal.set(segment, next);
        node = next;
      }
    }
    node.methods.set(route.method, { ...route, parameters });
  }
}

/** Finds operations by path. */
export class OperationRouter extends PathRouter<OperationRoute> {
  constructor(operations: Readonly<Record<string, OperationSpec>> = ALL_OPERATIONS) {
    super(
      Object.entries(operations).map(([id, spec]) => ({
        ...spec,
        id: id as OperationId,
        underAccount: spec.path.includes(ACCOUNT_PREFIX),
      })),
    );
  }
}

/** For the `Allow` header of a 405. */
export const allowedMethods = ({ methods }: Pick<KnownPath<unknown>, 'methods'>): string[] => [
  ...methods.keys(),
];

/** The path parameters by the names of the operation. */
export function parametersOf(
  { parameters }: Routed<unknown>,
  { segments }: Pick<KnownPath<unknown>, 'segments'>,
): Record<string, string> {
  const named: Record<string, string> = {};
  for (const [name, at] of parameters) named[name] = segments[at] ?? '';
  return named;
}

/** Tries the literal first and backtracks when it leads to no operation. */
function descend<R>(node: Node<R>, segments: readonly string[], at: number): Node<R> | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.methods.size > 0 ? node : undefined;
  const literal = node.literal.get(segment);
  const found = literal && descend(literal, segments, at + 1);
  if (found || segment === '' || !node.parameter) return found;
  return descend(node.parameter, segments, at + 1);
}

/** @returns undefined for an invalid percent-encoding of UTF-8 */
function decoded(path: string): string[] | undefined {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
