import { unknown, type DnsLookups, type Lookup, type MailExchange } from './dns-resolver.port.js';

/**
 * Look-ups in bounded time: each query is sent once, and after the budget every open query is unknown, so that dead
 * name servers cannot delay a request for longer.
 */
export class DnsBudget implements DnsLookups {
  private readonly answers = new Map<string, Promise<Lookup<unknown>>>();
  private readonly over: Promise<Lookup<never>>;
  private timer: NodeJS.Timeout | undefined;
  private spent = false;

  /** @param budgetMs for all look-ups together */
  static async within<T>(
    budgetMs: number,
    dns: DnsLookups,
    work: (dns: DnsLookups) => Promise<T>,
  ): Promise<T> {
    const budget = new DnsBudget(dns, budgetMs);
    try {
      return await work(budget);
    } finally {
      budget.close();
    }
  }

  private constructor(
    private readonly dns: DnsLookups,
    budgetMs: number,
  ) {
    this.over = new Promise((resolve) => {
      this.timer = setTimeout(() => {
        this.spent = true;
        resolve(unknown('out of time'));
      }, budgetMs);
    });
  }

  txt(name: string): Promise<Lookup<string>> {
    return this.once(`txt ${name}`, () => this.dns.txt(name));
  }

  cname(name: string): Promise<Lookup<string>> {
    return this.once(`cname ${name}`, () => this.dns.cname(name));
  }

  mx(name: string): Promise<Lookup<MailExchange>> {
    return this.once(`mx ${name}`, () => this.dns.mx(name));
  }

  addresses(name: string): Promise<Lookup<string>> {
    return this.once(`addresses ${name}`, () => this.dns.addresses(name));
  }

  ipv4(name: string): Promise<Lookup<string>> {
    return this.once(`ipv4 ${name}`, () => this.dns.ipv4(name));
  }

  ptr(name: string): Promise<Lookup<string>> {
    return this.once(`ptr ${name}`, () => this.dns.ptr(name));
  }

  /** Stops the clock. */
  private close(): void {
    clearTimeout(this.timer);
  }

  private once<T>(question: string, ask: () => Promise<Lookup<T>>): Promise<Lookup<T>> {
    const shared = this.answers.get(question);
    if (shared) return shared as Promise<Lookup<T>>;
    const answer = this.spent ? this.over : Promise.race([ask(), this.over]);
    this.answers.set(question, answer);
    return answer;
  }
}
