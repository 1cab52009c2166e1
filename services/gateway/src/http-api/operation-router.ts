import { ALL_OPERATIONS, type OperationId, type OperationSpec } from '@postmesh/contracts';

export interface RoutedOperation extends OperationSpec {
  readonly id: OperationId;
  /** the path names an account: the key must belong to it */
  readonly underAccount: boolean;
  /** path parameters with the index of their segment */
  readonly parameters: readonly (readonly [name: string, at: number])[];
}

/** The operations of a path by method. */
export interface KnownPath {
  readonly methods: ReadonlyMap<string, RoutedOperation>;
  /** its segments, decoded */
  readonly segments: readonly string[];
}

interface Node {
  readonly literal: Map<string, Node>;
  parameter: Node | undefined;
  readonly methods: Map<string, RoutedOperation>;
}

const newNode = (): Node => ({ literal: new Map(), parameter: undefined, methods: new Map() });

const ACCOUNT_PREFIX = '/accounts/{account_id}';
const PARAMETER = /^\{(\w+)\}$/;

/**
 * Finds operations by path, segment by segment. A literal segment wins over a parameter
 * (spec 1-platform §10.3); a parameter is never empty. Segments are compared decoded, like in the routers of the
 * services: `%75sage` is `usage` to both.
 */
export class OperationRouter {
  private readonly root = newNode();

  constructor(operations: Readonly<Record<string, OperationSpec>> = ALL_OPERATIONS) {
    for (const [id, spec] of Object.entries(operations)) this.add(id as OperationId, spec);
  }

  /** @param path raw, without the query */
  find(path: string): KnownPath | undefined {
    // a fragment is no part of a request target (RFC 9110 §7.1)
    if (!path.startsWith('/') || path.includes('#')) return undefined;
    const segments = path.includes('%') ? decoded(path) : path.split('/');
    const node = segments && descend(this.root, segments, 1);
    return node && { methods: node.methods, segments };
  }

  private add(id: OperationId, spec: OperationSpec): void {
    let node = this.root;
    const parameters: (readonly [string, number])[] = [];
    for (const [at, segment] of spec.path.split('/').entries()) {
      if (at === 0) continue;
      const name = PARAMETER.exec(segment)?.[1];
      if (name !== undefined) {
        parameters.push([name, at]);
        node = node.parameter ??= newNode();
      } else {
        const next: Node = node.literal.get(segment) ?? newNode();
        node.literal.set(segment, next);
        node = next;
      }
    }
    const underAccount = spec.path.includes(ACCOUNT_PREFIX);
    node.methods.set(spec.method, { ...spec, id, underAccount, parameters });
  }
}

/** For the `Allow` header of a 405. */
export const allowedMethods = ({ methods }: KnownPath): string[] => [...methods.keys()];

/** The path parameters by the names of the operation. */
export function parametersOf(
  { parameters }: RoutedOperation,
  { segments }: KnownPath,
): Record<string, string> {
  const named: Record<string, string> = {};
  for (const [name, at] of parameters) named[name] = segments[at] ?? '';
  return named;
}

/** Tries the literal first and backtracks when it leads to no operation. */
function descend(node: Node, segments: readonly string[], at: number): Node | undefined {
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
