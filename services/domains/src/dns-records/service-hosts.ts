/** The names under the operator's zone that the owners' records point at (spec 1-platform §11.2). */
export interface ServiceHosts {
  spf: string;
  return_path: string;
  tracking: string;
  subscription: string;
  media: string;
  mx: string;
  /** the DKIM aliases stand below this name */
  dkim_zone: string;
}

/** What a partner account may replace by names of its own (§11.2 rule 4). */
export type HostOverrides = Partial<Pick<ServiceHosts, 'spf' | 'return_path' | 'mx' | 'tracking'>>;

/** @param zone `POSTMESH_SERVICE_ZONE` */
export function serviceHosts(zone: string, overrides: HostOverrides = {}): ServiceHosts {
  return {
    spf: `spf.${zone}`,
    return_path: `rp.${zone}`,
    tracking: `track.${zone}`,
    subscription: `subs.${zone}`,
    media: `media.${zone}`,
    mx: `mx.${zone}`,
    dkim_zone: `dkim.${zone}`,
    ...overrides,
  };
}
