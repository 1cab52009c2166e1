import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { isWithin, parseRecord, PublishedRecord, wireName } from '../dns/records.rules.js';
import { MAX_ZONES, ZoneFailure, type Zone, type Zones } from '../dns/zones.js';
import { HttpError, parseOrThrow } from './http-error.js';

const MAX_RECORDS = 1_000;
const ZoneBody = z.strictObject({
  records: z.array(PublishedRecord).max(MAX_RECORDS),
  failure: ZoneFailure.optional(),
  secure: z.boolean().optional(),
});

interface ZoneRoute {
  Params: { name: string };
}

/**
 * `/api/zones/<name>`: records published by hand, which replace all others at that name and below; broken ones, too.
 * With `failure` its name servers fail; a `secure` one is signed.
 */
export function addZoneRoutes(app: FastifyInstance, zones: Zones): void {
  app.get('/api/zones', async () => ({ zones: zones.list() }));

  app.put<ZoneRoute>('/api/zones/:name', async ({ params, body }) => {
    const name = zoneName(params.name);
    const { records, ...more } = parseOrThrow(ZoneBody, body);
    const zone: Zone = {
      name,
      records: records.map((record, at) => recordWithin(name, record, at)),
      ...more,
    };
    if (!zones.hasRoomFor(name)) throw new HttpError(400, `no more than ${MAX_ZONES} zones`);
    zones.put(zone);
    return zone;
  });

  app.delete<ZoneRoute>('/api/zones/:name', async ({ params }, reply) => {
    if (!zones.remove(zoneName(params.name))) throw new HttpError(404, 'zone not found');
    return reply.code(204).send();
  });
}

function zoneName(text: string): string {
  const name = wireName(text);
  if (name === undefined) throw new HttpError(400, 'invalid zone name');
  return name;
}

/** `@` and an empty host mean the zone itself, as in zone files. */
function recordWithin(zone: string, { type, host, content }: PublishedRecord, at: number): PublishedRecord {
  const name = ['', '@'].includes(host) ? zone : wireName(host);
  if (name === undefined || !isWithin(name, zone)) {
    throw new HttpError(400, `records.${at}.host: must be ${zone} or a name below it`);
  }
  const record = parseRecord(type, content);
  if (record === undefined) throw new HttpError(400, `records.${at}: invalid type or content`);
  return { type: record.type, host: name, content };
}
