import { readFile } from 'node:fs/promises';
import type { FactoryProvider } from '@nestjs/common';
import { z } from 'zod';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { byId, DEFAULT_PROVIDER, PROVIDERS, ProviderTable, type Providers } from './providers.table.js';

/** The provider table of this worker: ours, overridden by the operator's file. */
export const SHAPING_PROVIDERS = Symbol('ShapingProviders');

export const PROVIDERS_IN_FORCE: FactoryProvider<Providers> = {
  provide: SHAPING_PROVIDERS,
  inject: [SETTINGS],
  useFactory: (settings: Settings) =>
    settings.shapingFile === undefined ? PROVIDERS : readProviders(settings.shapingFile),
};

/**
 * @param path of the operator's file: JSON, an object of rows by id
 * @throws Error with the file and its fault: a worker must not start with half of it
 */
export async function readProviders(path: string): Promise<Providers> {
  try {
    return mergeProviders(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`POSTMESH_SHAPING_FILE ${path}: ${reason}`, { cause: error });
  }
}

const Row = z.looseObject({ connections: z.looseObject({}).optional() });
type OperatorRow = z.output<typeof Row>;
const OperatorFile = z.record(z.string(), Row);

/**
 * Existing rows get the given fields, `connections` field by field; a new row takes its missing fields from `default`.
 * @throws Error with the faults, by row and field
 */
export function mergeProviders(given: unknown, providers: Providers = PROVIDERS): Providers {
  const file = OperatorFile.safeParse(given);
  if (!file.success) throw new Error(`must be an object of rows by id: ${faultsOf(file.error)}`);
  const ids = [...new Set([...providers.keys(), ...Object.keys(file.data)])];
  const fallback = merged(providers.get(DEFAULT_PROVIDER) ?? {}, file.data[DEFAULT_PROVIDER]);
  const rows = ids.map((id) => ({
    ...merged(providers.get(id) ?? { ...fallback, match: [] }, file.data[id]),
    id,
  }));
  const table = ProviderTable.safeParse(rows);
  if (!table.success) throw new Error(faultsOf(table.error, ids));
  return byId(table.data);
}

function merged(row: OperatorRow, over: OperatorRow = {}): OperatorRow {
  return { ...row, ...over, connections: { ...row.connections, ...over.connections } };
}

/** @param ids names of the rows, used instead of their positions */
function faultsOf({ issues }: z.ZodError, ids: readonly string[] = []): string {
  const said = issues.map(({ path, message }) => {
    const [row, ...field] = path;
    const where = row === undefined ? [] : [ids[Number(row)] ?? row, ...field];
    return [where.map(String).join('.'), message].filter((part) => part !== '').join(' ');
  });
  return said.slice(0, 5).join('; ');
}
