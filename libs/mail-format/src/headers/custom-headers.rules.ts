import { isLongerThan, SandboxResult } from '@postmesh/contracts';
import { breakProblem, fieldProblem, type HeaderField, isFieldName } from './header-field.js';
import { nameGivenTwice } from './header-fields.table.js';

const MAX_CUSTOM_HEADERS = 50;
const MAX_CUSTOM_HEADER_BYTES = 8 * 1024;

/** Fields that the service writes itself or that must not be forged: dropped silently (spec 2-messages §5.2.3-4). */
const IGNORED = new Set([
  'message-id',
  'from',
  'to',
  'bcc',
  'subject',
  'sender',
  'return-path',
  'received',
  'dkim-signature',
  'mime-version',
  'authentication-results',
  'feedback-id',
  'cfbl-address',
]);
const IGNORED_PREFIXES = ['arc-', 'content-', 'resent-'] as const;

export interface CustomHeaderRules {
  /** control headers are `<prefix>-…` (deployment setting) */
  readonly controlPrefixes: readonly string[];
  /** further names to drop, lower case: `cc` on a regular send, `list-unsubscribe` next to a link of ours */
  readonly drop?: readonly string[];
  /** names that clash with a body field (`reply-to`, `cc`), lower case, with the error text */
  readonly clashes?: ReadonlyMap<string, string>;
}

/** Never part of the message. By their names in lower case, without the prefix; the last of a name wins. */
type ControlHeaders = ReadonlyMap<string, HeaderField>;

type SortedHeaders =
  | {
      readonly ok: true;
      /** headers of the message, in the order given */
      readonly passed: readonly HeaderField[];
      readonly control: ControlHeaders;
    }
  | { readonly ok: false; readonly message: string };

/**
 * Sorts the `headers` of a send by their names into passed, control and dropped headers (spec 2-messages §5.2). Values
 * are checked later: `headerValueProblem`.
 * @returns the first problem as the text of a 400
 */
export function sortCustomHeaders(fields: readonly HeaderField[], rules: CustomHeaderRules): SortedHeaders {
  if (fields.length > MAX_CUSTOM_HEADERS) {
    return { ok: false, message: `at most ${MAX_CUSTOM_HEADERS} headers are allowed` };
  }
  const passed: HeaderField[] = [];
  const control = new Map<string, HeaderField>();
  for (const field of fields) {
    const message = problemOf(field, rules);
    if (message !== undefined) return { ok: false, message };
    const name = field.name.toLowerCase();
    const setting = controlName(name, rules.controlPrefixes);
    if (setting !== undefined) control.set(setting, field);
    else if (!isIgnoredHeader(name) && !rules.drop?.includes(name)) passed.push(field);
  }
  const twice = nameGivenTwice(passed.map(({ name }) => name));
  if (twice !== undefined)
    return { ok: false, message: `header '${twice}' must not be given more than once` };
  return { ok: true, passed, control };
}

/** @returns the name behind the prefix, when it has one of them (spec 2-messages §13.5) */
export function controlName(name: string, prefixes: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  const prefix = prefixes.find((one) => lower.startsWith(`${one.toLowerCase()}-`));
  return prefix === undefined ? undefined : lower.slice(prefix.length + 1);
}

/** @param name in lower case, of a header that the service writes itself (spec 2-messages §5.2 rule 4) */
export function isIgnoredHeader(name: string): boolean {
  return IGNORED.has(name) || IGNORED_PREFIXES.some((prefix) => name.startsWith(prefix));
}

function problemOf({ name }: HeaderField, rules: CustomHeaderRules): string | undefined {
  if (!isFieldName(name)) return `invalid header name '${name.slice(0, 100)}'`;
  return rules.clashes?.get(name.toLowerCase());
}

/**
 * Checks the values of the `headers` of a send, also of dropped ones.
 * @param isWritten of a value that goes into a message as it is: not one that is dropped or still to be rendered
 * @returns the first problem as the text of a 400
 */
export function headerValueProblem(
  fields: readonly HeaderField[],
  isWritten: (field: HeaderField) => boolean = () => true,
): string | undefined {
  for (const field of fields) {
    const { name, value } = field;
    if (Buffer.byteLength(name) + Buffer.byteLength(value) > MAX_CUSTOM_HEADER_BYTES) {
      return `header '${name}' is longer than ${MAX_CUSTOM_HEADER_BYTES} bytes`;
    }
    const problem = isWritten(field) ? fieldProblem(field) : breakProblem(value);
    if (problem !== undefined) return `header '${name}' ${problem}`;
  }
  return undefined;
}

/** The settings in control headers; absent = not set (spec 2-messages §13.5). */
export interface Controls {
  trackOpens?: boolean;
  trackClicks?: boolean;
  sandbox?: true;
  sandboxResult?: SandboxResult;
  metadataRetentionDays?: number;
  dataRetentionDays?: number;
  tags?: string[];
}

interface ReadControls {
  readonly controls: Controls;
  /** names in lower case whose value is invalid: ignored over SMTP, a 400 over the API */
  readonly invalid: readonly string[];
}

type Reader = (value: string, controls: Controls) => boolean;

const READERS: Readonly<Record<string, Reader>> = {
  'track-opens': (value, controls) => readBoolean(value, (on) => (controls.trackOpens = on)),
  'track-clicks': (value, controls) => readBoolean(value, (on) => (controls.trackClicks = on)),
  sandbox: (value, controls) => {
    if (value !== 'true' && value !== '1') return false;
    controls.sandbox = true;
    return true;
  },
  'sandbox-result': (value, controls) => {
    const result = SandboxResult.safeParse(value);
    if (result.success) controls.sandboxResult = result.data;
    return result.success;
  },
  'metadata-retention': (value, controls) =>
    readDays(value, 1, (days) => (controls.metadataRetentionDays = days)),
  'data-retention': (value, controls) => readDays(value, 0, (days) => (controls.dataRetentionDays = days)),
  tags: (value, controls) => {
    const tags = [...new Set(value.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '');
    if (tags.length > 10 || tags.some((tag) => isLongerThan(tag, 64))) return false;
    controls.tags = tags;
    return true;
  },
};

/**
 * Reads control headers from the result of `sortCustomHeaders`. Unknown names are ignored: they are not invalid, and
 * they are stripped from the message like all control headers.
 */
export function readControls(control: ControlHeaders): ReadControls {
  const controls: Controls = {};
  const invalid: string[] = [];
  for (const [setting, { name, value }] of control) {
    const reader = Object.hasOwn(READERS, setting) ? READERS[setting] : undefined;
    if (reader !== undefined && !reader(value.trim(), controls)) invalid.push(name.toLowerCase());
  }
  return { controls, invalid };
}

function readBoolean(value: string, set: (on: boolean) => void): boolean {
  if (value !== 'true' && value !== 'false') return false;
  set(value === 'true');
  return true;
}

function readDays(value: string, least: number, set: (days: number) => void): boolean {
  const days = /^\d{1,2}$/.test(value) ? Number(value) : -1;
  if (days < least || days > 30) return false;
  set(days);
  return true;
}
