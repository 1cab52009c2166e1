import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { mayEnterAll, mayExecute } from './reachability.rules.js';
import type { ServerIdentity } from './server-identity.js';

/** The folder and every folder above it, outermost first. */
function withAncestors(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [...withAncestors(parent), folder];
}

/** Whether the server's user can walk to this folder. @param folder absolute, without symlinks */
export async function canEnter(folder: string, who: ServerIdentity): Promise<boolean> {
  if (who.uid === undefined || who.gid === undefined) return true;
  const entries = await Promise.all(withAncestors(folder).map((path) => stat(path)));
  return mayEnterAll(entries, { uid: who.uid, gid: who.gid });
}

/** Whether the server's user can walk to this file, read it and run it. */
export async function canExecute(file: string, who: ServerIdentity): Promise<boolean> {
  if (who.uid === undefined || who.gid === undefined) return true;
  if (!(await canEnter(dirname(file), who))) return false;
  return mayExecute(await stat(file), { uid: who.uid, gid: who.gid });
}
