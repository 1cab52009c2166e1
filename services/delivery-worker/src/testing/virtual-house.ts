import type { VirtualHouse } from './virtual-queue.js';

/** Two files of local-internet, whose rules of houses take the time as a parameter. */
const fileOf = (name: string) =>
  new URL(`../../../local-internet/dist/houses/${name}.js`, import.meta.url).href;
interface Script {
  name: string;
  rate?: { at: string };
  untilQuiet?: { at: string };
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

/** The rules of a house of local-internet, by name. */
export async function houseOf(name: string): Promise<VirtualHouse> {
  const { HOUSES } = (await import(/* @vite-ignore */ fileOf('houses.table'))) as { HOUSES: Script[] };
  const { HouseLimits } = (await import(/* @vite-ignore */ fileOf('house-limits.rules'))) as {
    HouseLimits: new () => Limits;
  };
  const script = HOUSES.find((house) => house.name === name)!;
  const limits = new HouseLimits();
  const textOf = (reply: Reply | undefined) => reply && `${reply.code} ${reply.text.split('\n')[0]}`;
  const about = { source: US, sender: 'a@shop.test', recipients: ['ann@mail.test'] };
  const stage = script.rate?.at ?? script.untilQuiet?.at ?? 'data';
  return {
    connected: () => textOf(limits.connected(script, US)),
    disconnected: () => limits.disconnected(US),
    refuses: (now) => textOf(limits.rejection(script, stage, about, now)),
    took: (now) => limits.took(script, US, now),
  };
}
