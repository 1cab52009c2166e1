import type { GroupLag } from '@postmesh/event-bus';

export interface Examination {
  check: string;
  ok: boolean;
  detail: string;
}

// More events behind than this is a backlog that a person should know of.
const WORRYING_LAG = 10_000;

/** What is well and what is not, in words for people. @param parts whether each part is ready, by name */
export function examine(parts: Record<string, boolean>, lag: readonly GroupLag[]): Examination[] {
  return [
    ...Object.entries(parts).map(([name, ready]) => ({
      check: `${name} is ready`,
      ok: ready,
      detail: ready ? 'yes' : 'no',
    })),
    ...lag.map(({ group, stream, behind }) => ({
      check: `${group} keeps up with ${stream}`,
      ok: behind < WORRYING_LAG,
      detail: `${behind} events behind`,
    })),
  ];
}
