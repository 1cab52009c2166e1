import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { selfSignedCertificate } from '@postmesh/secrets';
import { EXTRA_CA_IN_FORCE } from './tls-parts.js';

it('the file of further CAs is read at the start, and must hold some', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ca-'));
  const extraCaFile = join(folder, 'ca.pem');
  const read = () => EXTRA_CA_IN_FORCE.useFactory({ extraCaFile });
  try {
    expect(read).toThrow('POSTMESH_EXTRA_CA_FILE cannot be read');
    await writeFile(extraCaFile, 'none');
    expect(read).toThrow('POSTMESH_EXTRA_CA_FILE must hold certificates');
    const { cert } = selfSignedCertificate(['Own CA']);
    await writeFile(extraCaFile, cert);
    expect(read()).toBe(cert);
    expect(EXTRA_CA_IN_FORCE.useFactory({})).toBeUndefined();
  } finally {
    await rm(folder, { recursive: true });
  }
});
