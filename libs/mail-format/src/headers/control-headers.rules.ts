import { isLongerThan } from '@postmesh/contracts';

export const SANDBOX_RESULTS = ['deliver', 'bounce', 'defer', 'fail', 'suppress'] as const;
export type SandboxResult = (typeof SANDBOX_RESULTS)[number];

/** What control headers ask for; absent = not asked (spec 2-messages §13.5). */
export interface Controls {
  trackOpens?: boolean;
  trackClicks?: boolean;
  sandbox?: true;
  sandboxResult?: SandboxResult;
  metadataRetentionDays?: number;
  dataRetentionDays?: number;
  tags?: string[];
}

export interface ReadControls {
  readonly controls: Controls;
  /** names without the prefix whose value is invalid: ignored over SMTP, a 400 over the API */
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
    const result = SANDBOX_RESULTS.find((known) => known === value);
    if (result === undefined) return false;
    controls.sandboxResult = result;
    return true;
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
 * Reads the control headers that `sortCustomHeaders` set apart. Unknown names are neither used nor invalid:
 * they are stripped all the same.
 */
export function readControls(control: ReadonlyMap<string, string>): ReadControls {
  const controls: Controls = {};
  const invalid: string[] = [];
  for (const [name, value] of control) {
    const reader = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
    if (reader !== undefined && !reader(value, controls)) invalid.push(name);
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
