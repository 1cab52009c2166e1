import { z } from 'zod';
import { DnsHostError, type HostRequest, type MakeHost, type PresentRecord } from './dns-host.port.js';
import { readAnswer } from './host-answer.rules.js';
import { readContent, writeContent } from './presentation.rules.js';

// https://desec.readthedocs.io/en/latest/dns/rrsets.html (read 2026-11)
const TTL = 3_600;

const Sets = z.array(
  z.object({ subname: z.string(), type: z.string(), ttl: z.number(), records: z.array(z.string()) }),
);
const Domain = z.object({ minimum_ttl: z.number() });

/** deSEC: sets of records by name and type; a bulk request is carried out as a whole. */
export const desec: MakeHost = (api, { token }) => {
  const call = async <T>(schema: z.ZodType<T>, request: Omit<HostRequest, 'headers'>): Promise<T> => {
    const headers = { authorization: `Token ${token}`, 'content-type': 'application/json' };
    const { status, text } = await api.request({ ...request, headers });
    if (status === 404) throw new DnsHostError('zone_missing', 'the account of the token has no such domain');
    if (status !== 200) throw new DnsHostError('refused', text.slice(0, 200) || `status ${status}`);
    return readAnswer(schema, text);
  };
  const path = (zone: string) => `/domains/${encodeURIComponent(zone)}/`;

  return {
    async recordsAt(zone, names) {
      await call(Domain, { method: 'GET', path: path(zone) });
      const found: PresentRecord[] = [];
      for (const name of names) {
        const query = `subname=${encodeURIComponent(subnameOf(name, zone))}`;
        const sets = await call(Sets, { method: 'GET', path: `${path(zone)}rrsets/?${query}` });
        for (const { subname, type, ttl, records } of sets.filter(
          (set) => nameOf(set.subname, zone) === name,
        ))
          found.push(
            ...records.map((raw) => ({
              name: nameOf(subname, zone),
              type,
              content: readContent(type, raw),
              raw,
              ttl,
              isSpecial: false,
            })),
          );
      }
      return found;
    },

    async write(zone, changes) {
      const { minimum_ttl: least } = await call(Domain, { method: 'GET', path: path(zone) });
      const sets = changes.map(({ name, type, content, kept }) => ({
        subname: subnameOf(name, zone),
        type,
        ttl: kept[0]?.ttl ?? Math.max(TTL, least),
        records: [...kept.map(({ raw }) => raw), writeContent(type, content)],
      }));
      await call(Sets, { method: 'PATCH', path: `${path(zone)}rrsets/`, body: JSON.stringify(sets) });
    },
  };
};

const subnameOf = (name: string, zone: string): string =>
  name === zone ? '' : name.slice(0, -(zone.length + 1));
const nameOf = (subname: string, zone: string): string =>
  (subname === '' || subname === '@' ? zone : `${subname}.${zone}`).toLowerCase();
