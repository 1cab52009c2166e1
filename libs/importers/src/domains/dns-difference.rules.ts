/** A record of the DNS, its host as a whole name and without a dot at the end. */
export interface DnsRecord {
  readonly type: string;
  readonly host: string;
  readonly value: string;
}

export interface WantedRecord extends DnsRecord {
  readonly label: string;
  readonly required: boolean;
}

export interface DifferenceLine {
  /** `+` to publish, `=` there already, `~` to change, `-` can go once nothing is sent by the other service */
  readonly sign: '+' | '=' | '~' | '-';
  readonly type: string;
  readonly host: string;
  readonly value: string;
  readonly note: string;
}

export interface DifferenceInput {
  /** ours */
  readonly wanted: readonly WantedRecord[];
  /** the other service's, of its file */
  readonly old: readonly DnsRecord[];
  /** what the DNS has at the hosts of both */
  readonly published: readonly DnsRecord[];
  /** parts of hosts in SPF records of the other service */
  readonly spf: readonly string[];
}

/**
 * The way from the records of another service to ours, in an order in which mail never stops: add, change, and at the end
 * remove. Both can be published together: each has DKIM selectors and a return path of its own.
 */
export function dnsDifference({ wanted, old, published, spf }: DifferenceInput): DifferenceLine[] {
  const lines: DifferenceLine[] = [];
  for (const record of wanted) {
    const there = published.filter(({ type, host }) => type === record.type && host === record.host);
    if (there.some(({ value }) => sameValue(value, record.value)))
      lines.push(line('=', record, record.label));
    else lines.push(missing(record, there));
  }
  const ours = new Set(wanted.map(({ type, host }) => `${type} ${host}`));
  for (const record of old) {
    const isThere = published.some(
      ({ type, host, value }) =>
        type === record.type && host === record.host && sameValue(value, record.value),
    );
    if (!isThere || isSpf(record) || ours.has(`${record.type} ${record.host}`)) continue;
    lines.push(line('-', record, 'of the other service: remove it once nothing is sent by it'));
  }
  for (const record of published.filter(isSpf)) {
    const names = record.value.split(/\s+/).filter((word) => spf.some((host) => word.endsWith(host)));
    if (names.length === 0) continue;
    const value = record.value
      .split(/\s+/)
      .filter((word) => !names.includes(word))
      .join(' ');
    lines.push(
      line(
        '-',
        { ...record, value: names.join(' ') },
        `take it out of the SPF record at the end; left is: ${value}`,
      ),
    );
  }
  return lines;
}

const line = (
  sign: DifferenceLine['sign'],
  { type, host, value }: DnsRecord,
  note: string,
): DifferenceLine => ({
  ...{ sign, type, host, value, note },
});

const isSpf = ({ type, value }: DnsRecord): boolean => type === 'TXT' && /^v=spf1(?:\s|$)/i.test(value);

/** A host has one SPF record and one CNAME: another value is changed, and not added to. */
function missing(record: WantedRecord, there: readonly DnsRecord[]): DifferenceLine {
  const optional = record.required ? '' : ' (optional)';
  const spf = isSpf(record) ? there.find(isSpf) : undefined;
  if (spf)
    return line(
      '~',
      { ...record, value: mergedSpf(spf.value, record.value) },
      `${record.label}: instead of ${spf.value}`,
    );
  const [other] = record.type === 'CNAME' ? there : [];
  if (other) return line('~', record, `${record.label}: instead of ${other.value}`);
  return line('+', record, `${record.label}${optional}`);
}

/** Our mechanisms before the last one of what is published, which is the rule for all others. */
function mergedSpf(published: string, ours: string): string {
  const [version = 'v=spf1', ...words] = published.split(/\s+/);
  const end = words.findIndex((word) => /^[-~?+]?all$|^redirect=/i.test(word));
  const added = ours
    .split(/\s+/)
    .slice(1)
    .filter((word) => !/^[-~?+]?all$/i.test(word) && !words.includes(word));
  const at = end === -1 ? words.length : end;
  return [version, ...words.slice(0, at), ...added, ...words.slice(at)].join(' ');
}

/** Names are equal whatever their case and final dot, keys whatever their blanks. */
function sameValue(a: string, b: string): boolean {
  const plain = (text: string) => text.replaceAll(/[\s"]+/g, '').replace(/\.$/, '');
  return plain(a) === plain(b) || (!/^v=|p=/.test(a) && plain(a).toLowerCase() === plain(b).toLowerCase());
}
