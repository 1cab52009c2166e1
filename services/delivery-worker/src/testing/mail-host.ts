import { polite, ScriptedServer, type Manners, type Peer } from './scripted-server.js';

export interface TakenMessage {
  recipient: string;
  sender: string;
  text: string;
}

const WAIT_MS = 20_000;

/** A correct mail host on loopback that keeps the received messages. */
export class MailHost {
  readonly messages: TakenMessage[] = [];
  private readonly looks = new Set<() => void>();
  private server: ScriptedServer | undefined;
  /** changes its replies from now on */
  manners: Manners = {};

  /** @param at an address of loopback, and the port where it must be a certain one */
  static async start(manners: Manners = {}, at: { address?: string; port?: number } = {}): Promise<MailHost> {
    const host = new MailHost();
    host.manners = manners;
    host.server = await ScriptedServer.start(
      polite({
        reply: (command, peer) => host.manners.reply?.(command, peer),
        accept: (message, peer) => host.take(message, peer),
      }),
      at,
    );
    return host;
  }

  get port(): number {
    return this.server?.port ?? 0;
  }

  /** recipients of the messages, in the order in which they came */
  get recipients(): string[] {
    return this.messages.map(({ recipient }) => recipient);
  }

  /** Resolves when this many messages came, those with a negative reply included. */
  waitFor(count: number, where: (message: TakenMessage) => boolean = () => true): Promise<TakenMessage[]> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = this.messages.filter(where);
        if (found.length < count) return;
        clearTimeout(limit);
        this.looks.delete(look);
        resolve(found);
      };
      const limit = setTimeout(
        () => reject(new Error(`${this.messages.length} messages came, not ${count}`)),
        WAIT_MS,
      );
      this.looks.add(look);
      look();
    });
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    await server?.stop();
  }

  private take(text: string, peer: Peer) {
    const last = (command: string) => peer.transcript.findLast((line) => line.startsWith(command)) ?? '';
    const pathOf = (line: string) => /<([^>]*)>/.exec(line)?.[1] ?? '';
    this.messages.push({ recipient: pathOf(last('RCPT TO')), sender: pathOf(last('MAIL FROM')), text });
    for (const look of this.looks) look();
    return this.manners.accept?.(text, peer);
  }
}

/** @returns the value of a header, unfolded */
export function headerOf({ text }: TakenMessage, name: string): string | undefined {
  const head = text.slice(0, text.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ');
  const line = head.split('\r\n').find((one) => one.toLowerCase().startsWith(`${name.toLowerCase()}: `));
  return line?.slice(name.length + 2);
}
