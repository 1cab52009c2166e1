import type { WebhookDialect } from './dialect.js';
import { WEBHOOK_DIALECTS } from './webhook-dialects.js';

const INTRODUCTION = `## Webhooks

Generated from the tables in \`libs/webhook-dialects/src\`. A webhook can make its calls in the form of another service, so that
a receiver stays as it is: names, payloads and signatures are theirs. The console has the choice in the form of a webhook
([decision 137](decisions/0137-webhooks-in-a-dialect.md)); \`POSTMESH_DIALECTS\` has no part in it, and \`/v2\` shows such a
webhook as any other.

- The webhook is created as any other. Its events, its scope, retries, order, log and repetition are those of all webhooks; the
  log shows the event in our form.
- An event without a counterpart is not sent, and not kept for a repetition.
- A dialect has a secret of its own, shown once; one that a receiver has already can be given where the table says so. The
  contract's secret stays for the day on which the dialect is switched off.
- A change reaches calls within three seconds, those that wait too.
- Amazon SES publishes events through SNS, which has no counterpart here.`;

/** The part of docs/dialects.md about webhooks. */
export function webhookDialectsReference(): string {
  return [INTRODUCTION, ...Object.entries(WEBHOOK_DIALECTS).map(([, dialect]) => section(dialect))].join(
    '\n\n',
  );
}

function section({ title, signature, notes, events, secrets }: WebhookDialect): string {
  const given = secrets?.form ? `A secret that is given: ${secrets.form}.` : 'No secret can be given.';
  const rows = Object.entries(events).map(([type, row]) =>
    'unsent' in row
      ? `| \`${type}\` | not sent: ${row.unsent} |`
      : `| \`${type}\` | \`${row.name}\`${row.words ? `: ${row.words}` : ''} |`,
  );
  return [
    `### Calls of ${title}\n`,
    ...[`Signature: ${signature}.`, given, ...notes].map((note) => `- ${note}`),
    '',
    '| event | there |',
    '| --- | --- |',
    ...rows,
  ].join('\n');
}
