import { ApiError } from '@postmesh/contracts';
import { foreignRows, type ForeignRows } from '../read/foreign-rows.js';
import type { Source } from '../sources/source.js';
import { SOURCES } from '../sources/sources.js';
import { readSuppression } from './suppression-rows.rules.js';

export interface TranslatedSuppressions {
  /** the form of the rows; several: nothing is translated before one of them is named */
  forms: string[];
  entries: { position: number; email: string; reason: string; created_at?: string }[];
  errors: { position: number; reason: string }[];
}

/** By the tables of the importers, without any effect. @throws ApiError 400 for rows of no known form */
export function translateSuppressions({ service, ...given }: ForeignRows): TranslatedSuppressions {
  const { title, suppressions, without }: Source = SOURCES[service];
  if (suppressions.length === 0)
    throw new ApiError(400, without.suppressions ?? `${title} has no suppressions`);
  const { names, form, rows } = foreignRows(given, suppressions);
  const made: TranslatedSuppressions = { forms: names, entries: [], errors: [] };
  if (!form) return made;
  const about = { form, title, domain: undefined, now: new Date() };
  rows.forEach((row, position) => {
    const read = readSuppression(row, about);
    if (read.kind === 'suppression') made.entries.push({ position, ...read.entry });
    else {
      const reason = read.kind === 'none' ? `no suppression in ${title}` : read.reason;
      made.errors.push({ position, reason });
    }
  });
  return made;
}
