import { z } from 'zod';

/** One setting with its documentation: the only place that describes it. */
export interface Setting<T = unknown> {
  /** the environment variable */
  readonly env: string;
  readonly description: string;
  /** the default as docs/settings.md shows it */
  readonly defaultText: string;
  readonly secret: boolean;
  readonly type: string;
  /** @throws Error whose text follows the variable's name; `undefined` means "not given" */
  parse(text: string | undefined): T;
}

export interface Options<T> {
  env: string;
  description: string;
  default: T;
  defaultText?: string;
  secret?: boolean;
}

export function setting<T>(type: string, options: Options<T>, read: (text: string) => T): Setting<T> {
  return {
    env: options.env,
    description: options.description,
    defaultText: options.defaultText ?? describeDefault(options.default),
    secret: options.secret ?? false,
    type,
    parse: (text) => (text === undefined || text.trim() === '' ? options.default : read(text.trim())),
  };
}

function describeDefault(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : `\`${value.join(',')}\``;
  return `\`${String(value)}\``;
}

export const text = <T extends string | undefined>(options: Options<T>): Setting<T> =>
  setting<T>('text', options, (value) => value as T);

export const integer = <D extends number | undefined = number>(
  options: Options<D> & { min: number; max: number },
): Setting<D | number> =>
  setting<D | number>('integer', options, (value) => {
    const parsed = z.coerce.number().int().min(options.min).max(options.max).safeParse(value);
    if (!parsed.success || !/^-?\d+$/.test(value)) {
      throw new Error(`must be a whole number from ${options.min} to ${options.max}`);
    }
    return parsed.data;
  });

export const decimal = (options: Options<number> & { min: number; max: number }): Setting<number> =>
  setting('number', options, (value) => {
    const parsed = z.coerce.number().min(options.min).max(options.max).safeParse(value);
    if (!parsed.success) throw new Error(`must be a number from ${options.min} to ${options.max}`);
    return parsed.data;
  });

export const flag = (options: Options<boolean>): Setting<boolean> =>
  setting(
    'on or off',
    { ...options, defaultText: options.defaultText ?? (options.default ? '`on`' : '`off`') },
    (value) => {
      if (/^(on|true|1|yes)$/i.test(value)) return true;
      if (/^(off|false|0|no)$/i.test(value)) return false;
      throw new Error('must be on or off');
    },
  );

export const choice = <const C extends readonly string[]>(
  options: Options<C[number]> & { of: C },
): Setting<C[number]> =>
  setting(options.of.join(' or '), options, (value) => {
    const found = options.of.find((candidate) => candidate === value.toLowerCase());
    if (found === undefined) throw new Error(`must be one of ${options.of.join(', ')}`);
    return found;
  });

/** Several of a few names, each at most once. */
export const names = <const C extends readonly string[]>(
  options: Options<readonly C[number][]> & { of: C },
): Setting<readonly C[number][]> =>
  setting('comma-separated list', options, (value) => {
    const given = value.split(',').map((name) => name.trim());
    const found = options.of.filter((name) => given.includes(name));
    if (found.length !== given.length)
      throw new Error(`must be some of ${options.of.join(', ')}, each at most once`);
    return found;
  });

/** An email address, in lower case as in records. */
export const email = <T extends string | undefined>(options: Options<T>): Setting<T> =>
  setting<T>('email address', options, (value) => {
    if (!/^[^\s@<>(),;:"]{1,64}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z0-9-]{2,63}$/i.test(value))
      throw new Error('must be an email address, without a name');
    return value.toLowerCase() as T;
  });

export const list = (options: Options<readonly string[]>): Setting<readonly string[]> =>
  setting('comma-separated list', options, (value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );

const MAX_ZONES = 12;
const ZONE = /^(?=.{1,200}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/;

/** Names of DNS zones; `off` = none. */
export const zones = (options: Options<readonly string[]>): Setting<readonly string[]> =>
  setting('comma-separated names, or `off`', options, (value) => {
    const given = value
      .split(',')
      .map((name) => name.trim().toLowerCase().replace(/\.$/, ''))
      .filter((name) => name !== '' && name !== 'off');
    const bad = given.find((name) => !ZONE.test(name));
    if (bad !== undefined) throw new Error(`must be names of DNS zones, not '${bad}'`);
    if (given.length > MAX_ZONES) throw new Error(`must be at most ${MAX_ZONES} names`);
    return [...new Set(given)];
  });

const MAX_WAITS = 50;
const MAX_WAIT_S = 604_800;

/** Backoff in seconds, the n-th after failure n: a list, or `14 tries` for n⁴ seconds. */
export const waits = (options: Options<readonly number[]>): Setting<readonly number[]> =>
  setting('comma-separated seconds, or `<count> tries`', options, (value) => {
    const [, tries] = /^(\d{1,2}) tries$/.exec(value) ?? [];
    const found = tries === undefined ? value.split(',').map(Number) : powersOfFour(Number(tries) - 1);
    if (found.length > MAX_WAITS || !found.every((wait) => wait > 0 && wait <= MAX_WAIT_S)) {
      throw new Error(
        `must be at most ${MAX_WAITS} waits of up to ${MAX_WAIT_S} seconds each, or such as \`14 tries\` (1 to 28)`,
      );
    }
    return found;
  });

/** 1, 16, 81, 256, 625 … seconds. */
export const powersOfFour = (count: number): number[] =>
  Array.from({ length: Math.max(0, count) }, (_, nth) => (nth + 1) ** 4);

/** Ports from 0 (any free one) to 65535. */
export const ports = (options: Options<readonly number[]>): Setting<readonly number[]> =>
  setting('comma-separated ports', options, (value) =>
    value.split(',').map((item) => {
      const port = Number(item.trim());
      if (!Number.isInteger(port) || port < 0 || port > 65_535)
        throw new Error(`'${item.trim()}' is not a port`);
      return port;
    }),
  );

export const url = <T extends string | undefined>(
  options: Options<T> & { protocols: readonly string[] },
): Setting<T> =>
  setting<T>('URL', options, (value) => {
    const parsed = URL.canParse(value) ? new URL(value) : undefined;
    if (!parsed || !options.protocols.includes(parsed.protocol)) {
      throw new Error(
        `must be a URL that begins with ${options.protocols.map((p) => `${p}//`).join(' or ')}`,
      );
    }
    return value.replace(/\/+$/, '') as T;
  });
