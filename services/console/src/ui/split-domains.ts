/** Domains that an endpoint or a key is limited to, one per line or separated by commas. */
export const splitDomains = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== '');
