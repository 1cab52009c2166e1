import { findEnhancedCode, isSpecific, type ReplyText } from '@postmesh/smtp-replies';

/** A report of one page has no longer ones. */
const MAX_CHARS = 2_000;
/** RFC 5321 §4.2: three digits, then the text; the surest place first. */
const SMTP_CODES = [
  // followed by an enhanced code
  /(?<![\w.])([45][0-5]\d)[ -]{1,2}[#(]{0,2}[45]\.\d{1,3}\.\d{1,3}/,
  // at the start, or behind what announces an answer
  /(?:^|\b(?:said|says|returned|reply|replied|response|responded|answered|was|error|code|reason|smtp)['"]?[ :;=#-]{1,5})([45][0-5]\d)(?=[ :-])/i,
  // anywhere, as a server writes it
  /(?<![\w.:/-])([45][0-5]\d)(?=[ -]\S)/,
] as const;

/** Where writers say what was answered: Postfix in brackets, Exim in front, Sendmail in a transcript, qmail in words. */
const COMMANDS: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:in (?:reply|response) to|after) MAIL FROM\b|\bbut sender was rejected\b|>>> MAIL FROM\b[^\n]{0,300}\n\s{0,5}<<< [45]/i,
    'MAIL FROM',
  ],
  [
    /\b(?:in (?:reply|response) to|after) (?:HELO|EHLO)\b|\bbut my name was rejected\b|>>> (?:HELO|EHLO)\b[^\n]{0,300}\n\s{0,5}<<< [45]/i,
    'EHLO',
  ],
  [/\bafter initial connection\b|\brefused to talk to me\b|\bbut greeting failed\b/i, 'CONNECT'],
];

/** @returns the command before any recipient whose reply the words are about */
export function findCommand(text: string): string | undefined {
  const read = text.slice(0, MAX_CHARS);
  return COMMANDS.find(([pattern]) => pattern.test(read))?.[1];
}

interface FoundReply {
  readonly smtpCode?: number | undefined;
  readonly enhancedStatusCode?: string | undefined;
  /** behind the codes, without those that stand in each line of a longer reply */
  readonly text: string;
}

/** What a server said, found in the words of a report. */
export function findReply(given: string): FoundReply {
  const text = given.slice(0, MAX_CHARS);
  const found = SMTP_CODES.map((pattern) => pattern.exec(text)).find((match) => match !== null);
  const code = found?.[1];
  const from =
    found === undefined || found === null || code === undefined ? 0 : found.index + found[0].indexOf(code);
  const said = text.slice(from);
  const enhancedStatusCode = findEnhancedCode(said) ?? findEnhancedCode(text);
  return {
    smtpCode: code === undefined ? undefined : Number(code),
    enhancedStatusCode,
    text: withoutCodes(said, code, enhancedStatusCode),
  };
}

/** Each line of a longer reply begins with the codes, the last one with a blank behind them (RFC 5321 §4.2.1). */
function withoutCodes(text: string, code: string | undefined, enhanced: string | undefined): string {
  const marks = [
    ...(enhanced === undefined ? [] : [`${code}-${enhanced}`, `${code} ${enhanced}`]),
    ...(code !== undefined && text.includes(`${code}-`) ? [`${code}-`, `${code} `] : []),
  ];
  const bare = marks.reduce((rest, mark) => rest.replaceAll(mark, ' '), text).trimStart();
  const first = code !== undefined && bare.startsWith(code) ? bare.slice(code.length) : bare;
  return first
    .replace(/^[\s:;#-]{1,20}/, '')
    .replace(/\s{1,1000}/g, ' ')
    .trim();
}

/**
 * Which code of a report decides: a specific one that the server said, before the one that the reporter made of it (Exim
 * writes 5.0.0 beside every reply). But the reporter knows whether it has given up for good: where it says so
 * specifically (5.4.7 after days of 4.7.1), a code of the other class does not count.
 * @returns undefined when nothing says anything
 */
export function decidingReply(status: string | undefined, diagnostic: string): ReplyText | undefined {
  const said = findReply(diagnostic);
  const sameClass = isSpecific(status) ? status[0] === said.enhancedStatusCode?.[0] : true;
  const enhanced = isSpecific(said.enhancedStatusCode) && sameClass ? said.enhancedStatusCode : status;
  const enhancedStatusCode = enhanced ?? said.enhancedStatusCode;
  if (enhancedStatusCode === undefined && said.smtpCode === undefined) return undefined;
  const digit = enhancedStatusCode?.[0] ?? String(said.smtpCode)[0];
  const fits = said.smtpCode !== undefined && String(said.smtpCode)[0] === digit;
  return {
    smtpCode: fits ? Number(said.smtpCode) : Number(digit) * 100 + 50,
    enhancedStatusCode,
    response: said.text,
  };
}
