import { unknown, type DnsResolver, type Lookup, type MailExchange } from './dns-resolver.port.js';

/**
 * The look-ups of one check: each question is asked once, and after the budget every open question is
 * unknown, so that dead name servers cannot hold up a request for longer.
 */
export class DnsBudget implements DnsResolver {
  private readonly asked = new Map<string, Promise<Lookup<unknown>>>();
  private readonly over: Promise<Lookup<never>>;
  private readonly timer: NodeJS.Timeout;
  private spent = false;

  /** @param budgetMs for all look-ups together */
  constructor(
    private readonly resolver: DnsResolver,
    budgetMs: number,
  ) {
    let end: (lookup: Lookup<never>) => void = () => undefined;
    this.over = new Promise((resolve) => (end = resolve));
    this.timer = setTimeout(() => {
      this.spent = true;
      end(unknown('out of time'));
    }, budgetMs);
  }

  txt(name: string): Promise<Lookup<string>> {
    return this.once(`txt ${name}`, () => this.resolver.txt(name));
  }

  cname(name: string): Promise<Lookup<string>> {
    return this.once(`cname ${name}`, () => this.resolver.cname(name));
  }

  mx(name: string): Promise<Lookup<MailExchange>> {
    return this.once(`mx ${name}`, () => this.resolver.mx(name));
  }

  /** To be called when the check is over: the clock stops. */
  close(): void {
    clearTimeout(this.timer);
  }

  private once<T>(question: string, ask: () => Promise<Lookup<T>>): Promise<Lookup<T>> {
    const known = this.asked.get(question);
    if (known) return known as Promise<Lookup<T>>;
    const answer = this.spent ? this.over : Promise.race([ask(), this.over]);
    this.asked.set(question, answer);
    return answer;
  }
}
