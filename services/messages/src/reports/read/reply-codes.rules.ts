import { findEnhancedCode, isSpecific, type ReplyText } from '@postmesh/smtp-replies';

/** A report of one page has fewer. */
const MAX_CHARS = 2_000;
/** RFC 5321 §4.2: three digits, then the text; the safest place first. */
const SMTP_CODES = [
  // followed by an enhanced code
  /(?<![\w.])([45][0-5]\d)[ -]{1,2}[#(]{0,2}[45]\.\d{1,3}\.\d{1,3}/,
  // at the start, or behind an introduction of a reply
  /(?:^|\b(?:said|says|returned|reply|replied|response|responded|answered|was|error|code|reason|smtp)['"]?[ :;=#-]{1,5})([45][0-5]\d)(?=[ :-])/i,
  // anywhere, in the form of servers
  /(?<![\w.:/-])([45][0-5]\d)(?=[ -]\S)/,
] as const;

/**
 * Texts with the answered command: Postfix in brackets, Exim in front, Sendmail in a transcript, qmail in a
 * sentence.
 */
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

/** @returns the command before RCPT TO to which the reply belongs */
export function findCommand(text: string): string | undefined {
  const read = text.slice(0, MAX_CHARS);
  return COMMANDS.find(([pattern]) => pattern.test(read))?.[1];
}

interface FoundReply {
  readonly smtpCode?: number | undefined;
  readonly enhancedStatusCode?: string | undefined;
  /** text after the codes, without their repetition in each line of a longer reply */
  readonly text: string;
}

/** The reply of a server, found in the text of a report. */
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

/** Each line of a longer reply begins with the codes, the last one with a blank after them (RFC 5321 §4.2.1). */
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
 * The deciding code of a report: a specific one in the server's reply, before the one of the reporter (Exim adds 5.0.0
 * to every reply). But the reporter knows whether it has given up: where its status is specific (5.4.7 after days of
 * 4.7.1), a code of the other class does not count.
 * @returns undefined without any code
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
