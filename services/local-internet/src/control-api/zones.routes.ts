import { z } from 'zod';
import type { HandZones } from '../dns/hand-zones.js';
import { isWithin, wireName } from '../dns/host-name.rules.js';
import { PublishedRecord } from '../dns/published-zone.js';
import { parseRecord } from '../dns/record-text.rules.js';
import { json, readJson, Refusal, type Answer } from './answer.js';
import type { Asked, Route } from './http-server.js';

const MOST_RECORDS = 1_000;
const ZoneBody = z.strictObject({ records: z.array(PublishedRecord).max(MOST_RECORDS) });

/** `/api/zones/<name>`: records published by hand, in place of all else at that name and below. */
export function zoneRoutes(zones: HandZones): Route[] {
  const put = async ({ request, params: [asked = ''] }: Asked): Promise<Answer> => {
    const name = zoneName(asked);
    const { records } = await readJson(request, ZoneBody);
    const zone = { name, records: records.map((record, at) => placed(record, name, at)) };
    await zones.put(zone).catch((error: unknown) => {
      throw error instanceof RangeError ? new Refusal(400, error.message) : error;
    });
    return json(200, zone);
  };

  const remove = async ({ params: [asked = ''] }: Asked): Promise<Answer> => {
    if (!(await zones.remove(zoneName(asked)))) throw new Refusal(404, 'zone not found');
    return { status: 204 };
  };

  return [
    { method: 'GET', path: /^\/api\/zones$/, answer: () => json(200, { zones: zones.list() }) },
    { method: 'PUT', path: /^\/api\/zones\/([^/]+)$/, answer: put },
    { method: 'DELETE', path: /^\/api\/zones\/([^/]+)$/, answer: remove },
  ];
}

function zoneName(asked: string): string {
  const name = wireName(asked);
  if (name === undefined) throw new Refusal(400, 'invalid zone name');
  return name;
}

/** `@` and an empty host stand for the zone itself, as people write zone files. */
function placed(record: PublishedRecord, zone: string, at: number): PublishedRecord {
  const host = ['', '@'].includes(record.host) ? zone : wireName(record.host);
  if (host === undefined || !isWithin(host, zone)) {
    throw new Refusal(400, `records.${at}.host: must be ${zone} or a name below it`);
  }
  const parsed = parseRecord(record.type, record.content);
  if (parsed === undefined) throw new Refusal(400, `records.${at}: invalid type or content`);
  return { type: parsed.type, host, content: record.content };
}
