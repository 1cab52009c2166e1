import { readFileSync } from 'node:fs';

/**
 * @param file POSTMESH_EXTRA_CA_FILE
 * @returns certificates that are trusted in addition to the usual ones, PEM
 * @throws Error with the name of the setting
 */
export function readExtraCa(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  let pem = '';
  try {
    pem = readFileSync(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`POSTMESH_EXTRA_CA_FILE cannot be read: ${why}`, { cause: error });
  }
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) {
    throw new Error('POSTMESH_EXTRA_CA_FILE must hold certificates in PEM form');
  }
  return pem;
}
