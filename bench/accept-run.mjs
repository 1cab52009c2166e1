// @ts-check
// (a) Rate of messages that the API accepts: closed loop over keep-alive connections, only `202` counts.
import { round } from './figures.rules.mjs';
import { withParts } from './stack.mjs';

/**
 * Each on a system of its own. `held`: the messages are due in an hour, so that the machine only accepts; otherwise
 * they are signed and delivered meanwhile, on the same cores.
 */
export const ACCEPT_RUNS = [
  { name: 'accept, 1 recipient', recipients: 1, held: false },
  { name: 'accept, 50 recipients', recipients: 50, held: false },
  { name: 'accept, 1 recipient, held', recipients: 1, held: true },
  { name: 'accept, 50 recipients, held', recipients: 50, held: true },
];

/**
 * @param {(typeof ACCEPT_RUNS)[number]} run @param {import('./options.mjs').Context} context
 * @returns {Promise<Record<string, any>>} figures
 */
export function measureAccept({ name, recipients, held }, { options, note }) {
  return withParts({ tls: options.tls, note }, async ({ sink, stack, generator }) => {
    const firstAttempt = held ? new Date(Date.now() + 3_600_000).toISOString() : undefined;
    const before = stack.cpu();
    const load = await generator.closedLoop({
      ...stack.target({ recipients, bodyBytes: options.bodyBytes, firstAttempt }),
      connections: options.clients,
      warmup: options.warmup,
      seconds: options.seconds,
    });
    const cpu = stack.cpuPerThousand(before, load.accepted * recipients);
    const { messages } = await sink.counts();
    const figures = summary(load, { recipients, seconds: options.seconds });
    return {
      name,
      recipients_per_request: recipients,
      held,
      ...figures,
      delivered_meanwhile: messages,
      cpu_seconds_per_1000_recipients: cpu,
      memory_mib: stack.memory(),
      generator_us_per_request: round((load.cpu_seconds / Math.max(1, load.sent)) * 1e6, 1),
    };
  });
}

function summary(load, { recipients, seconds }) {
  if (load.accepted_in_time === 0) {
    throw new Error(
      `no request was accepted: ${JSON.stringify(load.other_answers)} ${load.other_answer_sample}`,
    );
  }
  const requests = load.accepted_in_time / seconds;
  return {
    requests_per_second: round(requests),
    recipients_per_second: round(requests * recipients),
    answer_ms: load.answer_ms,
    other_answers: load.other_answers,
  };
}
