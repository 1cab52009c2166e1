import { CATALOGUE } from './catalogue.js';
import type { Setting } from './setting.js';
import { SETTING_GROUPS } from './setting-groups.table.js';

type Value<S> = S extends Setting<infer T> ? T : never;
export type Settings = { readonly [K in keyof typeof CATALOGUE]: Value<(typeof CATALOGUE)[K]> };
export type SettingName = keyof Settings;

/** One line per bad setting, so that an operator can correct all of them at once. */
export class SettingsError extends Error {}

/**
 * Reads and checks every setting.
 * @param env variables by name; the process's own when left out
 * @throws SettingsError that names each bad setting and its valid form (never the value of a secret)
 */
export function loadSettings(env: Record<string, string | undefined> = process.env): Settings {
  const problems: string[] = [];
  const entries = Object.entries(CATALOGUE).map(([name, setting]) => {
    try {
      return [name, (setting as Setting).parse(env[setting.env])] as const;
    } catch (error) {
      const given = setting.secret ? 'the given value' : `'${env[setting.env]}'`;
      problems.push(`${setting.env}: ${given} ${error instanceof Error ? error.message : String(error)}`);
      return [name, undefined] as const;
    }
  });
  if (problems.length > 0) throw new SettingsError(`bad settings:\n  ${problems.join('\n  ')}`);
  return Object.fromEntries(entries) as unknown as Settings;
}

/** Names of unknown POSTMESH_ variables, which have no effect: the boot logs a warning for each. */
export function unknownSettings(env: Record<string, string | undefined> = process.env): string[] {
  const known = new Set<string>(Object.values(CATALOGUE).map((setting) => setting.env));
  return Object.keys(env).filter(
    (name) => name.startsWith('POSTMESH_') && !name.startsWith('POSTMESH_TEST_') && !known.has(name),
  );
}

/** All settings in force, secrets hidden, for the log line at boot. */
export function redactedSettings(settings: Settings): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(CATALOGUE).map(([name, setting]) => {
      const value = settings[name as SettingName];
      const empty = value === undefined || (Array.isArray(value) && value.length === 0);
      return [setting.env, setting.secret && !empty ? '[hidden]' : value];
    }),
  );
}

/** The settings in force that differ from their defaults, secrets hidden. */
export function givenSettings(settings: Settings): Record<string, unknown> {
  const shown = redactedSettings(settings);
  const given = Object.entries(CATALOGUE).filter(([name, setting]) => {
    const standard: unknown = (setting as Setting).parse(undefined);
    return JSON.stringify(settings[name as SettingName]) !== JSON.stringify(standard);
  });
  return Object.fromEntries(given.map(([, { env }]) => [env, shown[env]]));
}

/** The reference page docs/settings.md. */
export function settingsReference(): string {
  const all = Object.values(CATALOGUE);
  const listed = new Set<string>(SETTING_GROUPS.flatMap(({ names }) => names));
  const rest = all.filter(({ env }) => !listed.has(env)).map(({ env }) => env);
  const groups = [...SETTING_GROUPS, { title: 'Rare', about: 'All others, by subject.', names: rest }];
  return [
    '# Settings',
    '',
    'Generated from `libs/settings/src/catalogue.ts` by `npm run generate`. Settings are environment variables;',
    'a bad one stops the start with an error that names it, an unknown one is warned about.',
    '',
    ...groups.flatMap(({ title, about, names }) => [
      `## ${title}`,
      '',
      about,
      '',
      '| setting | type | default | meaning |',
      '|---|---|---|---|',
      ...names.map(rowOf),
      '',
    ]),
  ].join('\n');
}

function rowOf(env: string): string {
  const setting = Object.values(CATALOGUE).find((one) => one.env === env);
  if (!setting) throw new Error(`setting-groups.table.ts names ${env}, which is no setting`);
  return `| \`${env}\` | ${setting.type} | ${setting.defaultText} | ${setting.description}${setting.secret ? ' *(secret)*' : ''} |`;
}
