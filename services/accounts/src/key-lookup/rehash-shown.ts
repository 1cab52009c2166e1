import type { DataSource } from 'typeorm';
import type { Rehash } from '@postmesh/accounts-contract';
import type { PepperedColumn } from '@postmesh/secrets';
import { rehash } from '@postmesh/service-host';

/**
 * Stores the newer hashes of secrets that a gateway verified. During a rollout of POSTMESH_SECRET_KEYS, only hashes under
 * this service's own current key are stored.
 */
export function rehashShown(
  dataSource: DataSource,
  { column, keyId }: { column: PepperedColumn; keyId: string },
  shown: readonly Rehash[],
): Promise<void> {
  const secrets = shown
    .filter(({ pepper_id }) => pepper_id === keyId)
    .map(({ from, to }) => ({ from: Buffer.from(from, 'base64'), to: Buffer.from(to, 'base64'), keyId }));
  return rehash(dataSource, column, secrets);
}
