import { stat } from 'node:fs/promises';

/** Who the server runs as. Empty = as whoever runs us. */
export interface ServerIdentity {
  uid?: number;
  gid?: number;
}

// PostgreSQL refuses to run as root. `nobody` exists in every passwd file (initdb looks its user up),
// so no user has to be made. On macOS `nobody` is -2, which chown and setuid spell differently;
// `_postgres` has had number 216 there for as long as macOS exists.
const UNPRIVILEGED = process.platform === 'darwin' ? { uid: 216, gid: 216 } : { uid: 65_534, gid: 65_534 };

const startedByRoot = (): boolean => process.getuid?.() === 0;

/** For root: the owner of a cluster that exists already, else an unprivileged user. */
export async function serverIdentity(clusterDir: string): Promise<ServerIdentity> {
  if (!startedByRoot()) return {};
  const owner = await stat(clusterDir).catch(() => undefined);
  return owner !== undefined && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : UNPRIVILEGED;
}
