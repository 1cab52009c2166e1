/** One host that takes mail for a destination. */
export interface RouteHost {
  readonly name: string;
  /** lower first */
  readonly preference: number;
  /** in the order in which they are tried */
  readonly addresses: readonly string[];
}

/** Where a message may go: hosts by preference, ties in the order in which they are to be tried. */
export interface Route {
  readonly hosts: readonly RouteHost[];
  readonly port: number;
}

/** Destinations with the same hosts share connections: half the companies of the world have the same few. */
export function groupKey(route: Route): string {
  const names = [...new Set(route.hosts.map((host) => host.name.toLowerCase()))].sort();
  return `${names.join(',')}:${route.port}`;
}
