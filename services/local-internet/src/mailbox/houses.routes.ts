import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { HouseScript } from '../houses/house-script.js';
import type { Houses } from '../houses/houses.js';
import type { RunningHouse } from '../houses/running-house.js';
import { HttpError, parseOrThrow } from './http-error.js';

interface HouseRoute {
  Params: { name: string };
}

const Change = z.record(z.string(), z.unknown());

/** `/api/houses`: the scripts and events of the houses; parts of a script can be changed while it runs. */
export function addHouseRoutes(app: FastifyInstance, houses: Houses): void {
  const houseOf = (name: string): RunningHouse => {
    const house = houses.running.get(name);
    if (house === undefined) throw new HttpError(404, 'there is no such house');
    return house;
  };

  app.get('/api/houses', async () => ({
    smtp_port: houses.port,
    policy_port: houses.policyPort,
    houses: [...houses.running.values()].map(houseView),
  }));

  // A client that trusts it accepts the certificates of the houses. */
  app.get('/api/houses/authority.pem', async (_request, reply) =>
    reply.type('application/x-pem-file').send(houses.authority.cert),
  );

  app.get<HouseRoute>('/api/houses/:name', async ({ params }) => {
    const house = houseOf(params.name);
    return { ...houseView(house), events: house.events };
  });

  app.put<HouseRoute>('/api/houses/:name', async ({ params, body }) => {
    const house = houseOf(params.name);
    houses.behaveAs(house, changed(house.script, parseOrThrow(Change, body)));
    return houseView(house);
  });

  app.delete<HouseRoute>('/api/houses/:name', async ({ params }, reply) => {
    houses.reset(houseOf(params.name));
    return reply.code(204).send();
  });
}

/** A field that is null is removed; an object is merged with the existing one. */
function changed(script: HouseScript, change: Record<string, unknown>): HouseScript {
  const before: Record<string, unknown> = script;
  const merged = Object.entries(change).map(([field, value]) => [field, mergedField(before[field], value)]);
  const all = { ...before, ...Object.fromEntries(merged) };
  return parseOrThrow(
    HouseScript,
    Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)),
  );
}

const mergedField = (before: unknown, value: unknown): unknown =>
  isObject(before) && isObject(value) ? { ...before, ...value } : value;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const houseView = ({ name, about, domain, host, address, script, counts }: RunningHouse): object => ({
  ...{ name, about, domain, host, address, script, counts },
});
