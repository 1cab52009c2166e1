import { OPERATIONS, type OperationId, type OperationSpec } from '@postmesh/contracts';

export interface RoutedOperation extends OperationSpec {
  readonly id: OperationId;
  /** the path names an account: the key must belong to it */
  readonly underAccount: boolean;
}

/** What a path leads to: operations by method. */
export interface KnownPath {
  readonly methods: ReadonlyMap<string, RoutedOperation>;
  /** for the `Allow` header of a 405 */
  readonly allowed: readonly string[];
}

interface Node {
  readonly literal: Map<string, Node>;
  parameter: Node | undefined;
  readonly methods: Map<string, RoutedOperation>;
}

const newNode = (): Node => ({ literal: new Map(), parameter: undefined, methods: new Map() });

const ACCOUNT_PREFIX = '/v2/accounts/{account_id}';
/** The account stands in the fourth part of `/v2/accounts/{account_id}/…`. */
const ACCOUNT_AT = 3;

/**
 * Finds operations by path, segment by segment. A literal segment wins over a parameter
 * (spec 1-platform §10.3); a parameter is never empty.
 */
export class OperationRouter {
  private readonly root = newNode();

  constructor(operations: Readonly<Record<string, OperationSpec>> = OPERATIONS) {
    for (const [id, spec] of Object.entries(operations)) this.add(id as OperationId, spec);
  }

  /** @param path raw, without the query */
  find(path: string): KnownPath | undefined {
    if (!path.startsWith('/') || (path.includes('%') && !isDecodable(path))) return undefined;
    const node = descend(this.root, path.split('/'), 1);
    return node && { methods: node.methods, allowed: [...node.methods.keys()] };
  }

  private add(id: OperationId, spec: OperationSpec): void {
    let node = this.root;
    for (const segment of spec.path.split('/').slice(1)) {
      if (segment.startsWith('{')) node = node.parameter ??= newNode();
      else {
        const next: Node = node.literal.get(segment) ?? newNode();
        node.literal.set(segment, next);
        node = next;
      }
    }
    node.methods.set(spec.method, { ...spec, id, underAccount: spec.path.startsWith(ACCOUNT_PREFIX) });
  }
}

/** Tries the literal first and comes back when it leads nowhere. */
function descend(node: Node, segments: readonly string[], at: number): Node | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.methods.size > 0 ? node : undefined;
  const literal = node.literal.get(segment);
  const found = literal && descend(literal, segments, at + 1);
  if (found || segment === '' || !node.parameter) return found;
  return descend(node.parameter, segments, at + 1);
}

/** The account of a path that `find` knows as one under an account, decoded. */
export function accountOf(path: string): string {
  const segment = path.split('/', ACCOUNT_AT + 1)[ACCOUNT_AT] ?? '';
  return segment.includes('%') ? decodeURIComponent(segment) : segment;
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
