import type { SMTPServerDataStream } from 'smtp-server';

/** Octets that may wait in memory in all sessions together. */
export class ReadingBudget {
  private used = 0;

  constructor(private readonly most: number) {}

  take(octets: number): boolean {
    if (this.used + octets > this.most) return false;
    this.used += octets;
    return true;
  }

  giveBack(octets: number): void {
    this.used -= octets;
  }
}

export type ReadLetter =
  | { kind: 'whole'; raw: Buffer; done(): void }
  /** Larger than one letter may be; the server answers that itself. */
  | { kind: 'too-large' }
  /** Too much is being received at this moment. */
  | { kind: 'no-room' }
  | { kind: 'broken-off' };

/** Reads what follows DATA into memory. Whoever gets a whole letter calls `done` when it no longer needs it. */
export function readLetter(stream: SMTPServerDataStream, budget: ReadingBudget): Promise<ReadLetter> {
  return new Promise((resolve) => {
    let chunks: Buffer[] = [];
    let held = 0;
    let noRoom = false;
    const letGo = (): void => {
      budget.giveBack(held);
      held = 0;
      chunks = [];
    };
    stream.on('data', (chunk: Buffer) => {
      if (noRoom || stream.sizeExceeded) return letGo();
      noRoom = !budget.take(chunk.length);
      if (noRoom) return letGo();
      held += chunk.length;
      chunks.push(chunk);
    });
    stream.on('error', () => {});
    stream.on('end', () => {
      if (stream.sizeExceeded || noRoom) {
        letGo();
        return resolve({ kind: stream.sizeExceeded ? 'too-large' : 'no-room' });
      }
      resolve({ kind: 'whole', raw: Buffer.concat(chunks), done: letGo });
    });
    stream.on('close', () => {
      if (stream.readableEnded) return;
      letGo();
      resolve({ kind: 'broken-off' });
    });
  });
}
