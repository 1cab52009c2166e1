// @ts-check
// From the report of a run to the figures that are kept.

/**
 * One bar of a graph.
 * @typedef {object} Figure
 * @property {string} figure what was measured; one graph
 * @property {string} unit of `value`
 * @property {string} system whose value it is
 * @property {number} value the median of the rounds
 * @property {number | null} cpu_us CPU microseconds of one of them, all processes of the system together
 * @property {{ value: number, cpu_us: number | null, machine: object | null }[]} rounds in their order; `machine`: its
 *   pace at that moment (`machinePace`)
 * @property {string} at the time of the run
 * @property {Record<string, unknown>} machine @property {Record<string, unknown>} versions
 */

/** @param {import('./report.mjs').Report & Record<string, any>} report @returns {Figure[]} */
export function figuresOf(report) {
  const { at, machine, versions, speed, relay, submit, campaigns, webhooks, idle } = report;
  const about = { at, machine, versions: ownVersions(versions) };
  const one = (figure, unit, system, run) => ({ figure, unit, system, rounds: [run] });
  const raw = [
    ...(speed?.systems ?? []).flatMap(ofSpeed),
    ...Object.values(relay ?? {}).map((run) =>
      one('first submission to last delivery', 'messages/s', run.name, round(run, run.messages_per_second)),
    ),
    ...['postmesh', 'postfix'].flatMap((system) => {
      const run = submit?.[system];
      const of = run && { ...run, machine: submit.machine };
      return run ? [one('submission by SMTP', 'messages/s', system, round(of, run.messages_per_second))] : [];
    }),
    ...Object.values(campaigns?.rounds ?? {}).map((runs) => ({
      figure: 'campaign',
      unit: 'recipients/s',
      system: runs[0].name,
      rounds: runs.map((run) => round(run, run.recipients_per_second)),
    })),
    ...(webhooks?.runs ?? []).map((run) =>
      one(`webhook calls to ${run.endpoints} endpoints`, 'events/s', 'postmesh', {
        value: run.events_per_second,
        cpu_us: null,
        machine: webhooks?.machine ?? null,
      }),
    ),
    ...(idle
      ? [
          one('idle', 'ms of CPU a second', 'postmesh', {
            value: idle.cpu_ms_per_second.all,
            cpu_us: null,
            machine: idle.machine ?? null,
          }),
        ]
      : []),
  ];
  return raw.map(({ figure, unit, system, rounds }) => {
    const middle = medianOf(rounds);
    return { figure, unit, system, value: middle.value, cpu_us: middle.cpu_us, rounds, ...about };
  });
}

/** Text versions only: the settings of PostgreSQL are in the report. */
const ownVersions = (versions) =>
  Object.fromEntries(
    Object.entries(versions).filter(([, value]) => value !== null && typeof value !== 'object'),
  );

const ofSpeed = ({ name, loads }) =>
  Object.entries(loads).map(([load, { rounds }]) => ({
    figure: `speed, ${load}`,
    unit: 'messages/s',
    system: name,
    rounds: rounds.map((run) => ({
      value: run.messages_per_second,
      cpu_us: run.cpu_us.all,
      machine: run.machine ?? null,
    })),
  }));

const round = (run, value) => ({
  value,
  // rounded, as sums of decimals are not exact
  cpu_us: Math.round(
    Object.values(run.cpu_seconds_per_1000).reduce((sum, part) => sum + (part ?? 0), 0) * 1_000,
  ),
  machine: run.machine ?? null,
});

/** The round in the middle, so that its CPU time belongs to its value. */
function medianOf(rounds) {
  const sorted = [...rounds].sort((a, b) => a.value - b.value);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}
