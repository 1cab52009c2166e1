/** What `stat` says about one file or folder. */
export interface Entry {
  uid: number;
  gid: number;
  mode: number;
}

const READ = 0o4;
const ENTER = 0o1;

/** Mode bits that hold for this user: the owner's, else the group's, else everybody's. */
function bitsFor(entry: Entry, who: { uid: number; gid: number }): number {
  if (entry.uid === who.uid) return (entry.mode >> 6) & 0o7;
  return entry.gid === who.gid ? (entry.mode >> 3) & 0o7 : entry.mode & 0o7;
}

/** Whether the user may walk through all these folders. Root's powers and ACLs do not count. */
export const mayEnterAll = (folders: readonly Entry[], who: { uid: number; gid: number }): boolean =>
  folders.every((folder) => (bitsFor(folder, who) & ENTER) !== 0);

/** Whether the user may read and execute this file. */
export const mayExecute = (file: Entry, who: { uid: number; gid: number }): boolean =>
  (bitsFor(file, who) & (READ | ENTER)) === (READ | ENTER);
