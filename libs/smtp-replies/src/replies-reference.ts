import { REPLY_TABLE } from './replies.table.js';
import { REPLY_KINDS } from './reply-kinds.table.js';
import type { ReplyRow, ReplyTable } from './reply-rows.schema.js';
import type { ReplyShape, Suppresses } from './reply.js';

const INTRODUCTION = `# Replies of mail servers

Generated from \`libs/smtp-replies\` by \`npm run generate\`. A reply gets its class (spec 2-messages §15.2), its kind, and
what it does to the suppression list (spec 2-messages §15.3) from the first matching row below, step by step. The row is in
the field \`reply_rule\` of the log line \`delivery.attempted\`, and with each attempt that \`npx postmesh message\` shows.

The class is the one that the contract gives to the codes, where it fits the kind; otherwise it follows from the kind.`;

const STEPS: Readonly<Record<keyof ReplyTable, string>> = {
  own: 'Our own texts',
  provider: 'Rows of one provider, for direct replies of its hosts',
  sure: 'Texts with precedence over the codes',
  codes: 'Enhanced status codes',
  vague: 'Texts, if the enhanced code is missing or x.0.0, x.2.0, x.3.0, x.5.0',
  rest: 'All other replies',
};

const SUPPRESSES: Readonly<Record<Suppresses, string>> = {
  hard: 'at once, 30 days',
  repeated: 'at the third within 30 days, 30 days',
  soft: 'at once, 15 days',
  never: 'never',
};

/** docs/replies.md */
export function repliesReference(): string {
  const kinds = Object.entries(REPLY_KINDS).map(([kind, { temporary, permanent, bounced, ended }]) =>
    line(kind, permanent, temporary, SUPPRESSES[bounced], SUPPRESSES[ended]),
  );
  const parts = [
    INTRODUCTION,
    [
      ...heading('kind', 'class', 'class of a 4xx', 'a bounce suppresses', 'used up retries suppress'),
      ...kinds,
    ].join('\n'),
    ...Object.entries(STEPS).map(([step, title]) =>
      stepSection(title, REPLY_TABLE[step as keyof ReplyTable]),
    ),
  ];
  return `${parts.join('\n\n')}\n`;
}

const stepSection = (title: string, rows: readonly ReplyRow[]): string =>
  [
    `## ${title}\n`,
    ...heading('row', 'fits', 'kind', 'shaping', 'for example', 'source'),
    ...rows.map((row) =>
      line(row.id, conditionOf(row), row.kind, shapeText(row), code(row.sample), row.because),
    ),
  ].join('\n');

function conditionOf({ provider, codes, enhanced, unless, says, only }: ReplyRow): string {
  const parts = [
    provider?.join(', '),
    only === undefined ? undefined : { temporary: '4xx', permanent: '5xx' }[only],
    codes?.join(', '),
    enhanced?.map((each) => `x.${each}`).join(', '),
    unless === undefined ? undefined : `not ${unless.map((each) => `x.${each}`).join(', ')}`,
    says === undefined ? undefined : code(says.source),
  ];
  return parts.filter((part) => part !== undefined).join('; ') || 'everything';
}

const DOES: Readonly<Record<ReplyShape['do'], string>> = {
  halve: 'half of the connections and the rate',
  slow: 'half of the rate',
  suspend: 'nothing',
  perConnection: 'fewer messages in a connection',
  weak: 'a third of a sign',
};

function shapeText({ shape, shapesOnly }: ReplyRow): string {
  if (shape === undefined) return '';
  const parts = [
    `${DOES[shape.do]} from the ${shape.scope.replace('+', ' and its ')}`,
    shape.forSeconds === undefined ? undefined : `for ${duration(shape.forSeconds)}`,
    shape.longestSeconds === undefined ? undefined : `up to ${duration(shape.longestSeconds)}`,
    shape.after === undefined
      ? undefined
      : `from ${shape.after.count} in ${duration(shape.after.perSeconds)} on`,
    shapesOnly === undefined ? undefined : '4xx only',
    shape.alert === true ? 'with an alert' : undefined,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

const duration = (seconds: number): string =>
  seconds % 3_600 === 0 ? `${seconds / 3_600} h` : `${seconds / 60} min`;

const heading = (...cells: string[]): string[] => [line(...cells), line(...cells.map(() => '---'))];
const line = (...cells: string[]): string => `| ${cells.join(' | ')} |`;
const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;
