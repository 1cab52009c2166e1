import type { VirtualHouse } from './virtual-queue.js';

/** Two files of local-internet, whose rules of houses take the time as a parameter. */
const fileOf = (name: string) =>
  new URL(`../../../local-internet/dist/houses/${name}.js`, import.meta.url).href;
interface Script {
  name: string;
  rate?: { at: string; messages: number };
  untilQuiet?: { at: string; messages: number };
}
interface Reply {
  code: number;
  text: string;
}
interface Limits {
  connected(script: Script, source: string): Reply | undefined;
  disconnected(source: string): void;
  rejection(script: Script, stage: string, about: object, now: number): Reply | undefined;
  took(script: Script, source: string, now: number): void;
}
const US = '198.51.100.7';

/**
 * The rules of a house of local-internet, by name.
 * @param perMinute messages that it takes in a minute, if they are more than those of its script: an address that it knows
 */
export async function houseOf(name: string, perMinute: () => number = () => 0): Promise<VirtualHouse> {
  const { HOUSES } = (await import(/* @vite-ignore */ fileOf('houses.table'))) as { HOUSES: Script[] };
  const { HouseLimits } = (await import(/* @vite-ignore */ fileOf('house-limits.rules'))) as {
    HouseLimits: new () => Limits;
  };
  const own = HOUSES.find((house) => house.name === name);
  if (own === undefined) throw new Error(`there is no house ${name}`);
  const more = <Rule extends { messages: number }>(rule: Rule): Rule => ({
    ...rule,
    messages: Math.max(rule.messages, Math.floor(perMinute())),
  });
  const known = (): Script => {
    const { rate, untilQuiet, ...script } = own;
    return {
      ...script,
      ...(rate ? { rate: more(rate) } : {}),
      ...(untilQuiet ? { untilQuiet: more(untilQuiet) } : {}),
    };
  };
  const limits = new HouseLimits();
  const textOf = (reply: Reply | undefined) => reply && `${reply.code} ${reply.text.split('\n')[0]}`;
  const about = { source: US, sender: 'a@shop.test', recipients: ['ann@mail.test'] };
  const stage = own.rate?.at ?? own.untilQuiet?.at ?? 'data';
  return {
    connected: () => textOf(limits.connected(own, US)),
    disconnected: () => limits.disconnected(US),
    refuses: (now) => textOf(limits.rejection(known(), stage, about, now)),
    took: (now) => limits.took(known(), US, now),
  };
}
