import type { TakeTokens } from '@postmesh/gateway';
import type { Settings } from '@postmesh/settings';
import { startAccepting, type AcceptPart } from './accept-part.js';
import type { AcceptMessage, AcceptQuestion } from './accept-process.js';
import { servePart } from './part.js';

// Both come to the whole group of processes, from a terminal or a supervisor: the main one tells this one when to stop. When
// that one is gone, `cluster` ends this one.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);

const say = (message: AcceptMessage, said?: () => void) =>
  process.send?.(message, undefined, undefined, said);

let part: AcceptPart | undefined;
let questions = 0;
// Who waits gives up by himself (`ElsewhereBuckets`); what is never answered is forgotten with the process it was asked of.
const unanswered = new Map<number, (waits: readonly number[]) => void>();

const takeTokens: TakeTokens = (requests) =>
  new Promise((resolve) => {
    const question = ++questions;
    unanswered.set(question, resolve);
    say({ kind: 'take-tokens', question, requests });
  });

process.on('message', (question: AcceptQuestion) => {
  if (question.kind === 'start') void start(question.name, question.settings);
  else if (question.kind === 'tokens') {
    unanswered.get(question.question)?.(question.waits);
    unanswered.delete(question.question);
  } else if (question.kind === 'is-alive') say({ kind: 'alive' });
  else if (question.kind === 'forget-domain') part?.forgetDomain(question.accountId, question.domain);
  else if (part) servePart(part, question, say);
  else if (question.kind === 'stop') process.exit(0);
});

say({ kind: 'loaded' });

async function start(name: string, settings: Settings): Promise<void> {
  try {
    const sent = () => void say({ kind: 'sent' });
    const started = await startAccepting(settings, name, { takeTokens, sent });
    part = started.part;
    say({ kind: 'accepts', ports: started.ports });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    say({ kind: 'failed', reason }, () => process.exit(1));
  }
}
