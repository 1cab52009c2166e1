import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { ApiError } from '@postmesh/contracts';
import { z } from 'zod';

const State = z.object({
  what: z.string(),
  size: z.number(),
  modified: z.number(),
  /** of one import: part of its idempotency keys, so that a repeated request has its effect once */
  run: z.string(),
  /** rows of the file that are done */
  rows: z.number(),
  counts: z.record(z.string(), z.number()),
});
export type State = z.infer<typeof State>;

/**
 * How far an import is, in `<file>.import`. After a kill at any time the next run continues: what was sent and is not in
 * the file yet is sent again, with the same effect. It is removed at the end.
 */
export class StateFile {
  private readonly path: string;

  /** @param what source, kind, form and account: another import of the same file does not continue this one */
  constructor(
    private readonly file: string,
    private readonly what: string,
  ) {
    this.path = `${file}.import`;
  }

  /** @throws ApiError 400 when it belongs to something else */
  read(): State {
    const { size, mtimeMs: modified } = statSync(this.file);
    if (!existsSync(this.path)) {
      return { what: this.what, size, modified, run: randomUUID(), rows: 0, counts: {} };
    }
    const stored = this.stored();
    if (stored.what !== this.what || stored.size !== size || stored.modified !== modified) {
      throw new ApiError(
        400,
        `${this.path} belongs to another import or to an earlier content of the file: remove it`,
      );
    }
    return stored;
  }

  private stored(): State {
    try {
      return State.parse(JSON.parse(readFileSync(this.path, 'utf8')));
    } catch {
      throw new ApiError(400, `${this.path} cannot be read: remove it to begin anew`);
    }
  }

  write(state: State): void {
    writeFileSync(`${this.path}.new`, JSON.stringify(state));
    renameSync(`${this.path}.new`, this.path);
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}

/** Adds the numbers of a response to counts. */
export function addCounts(counts: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(more)) counts[name] = (counts[name] ?? 0) + count;
}
