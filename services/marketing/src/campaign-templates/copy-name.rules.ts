const MAX_NAME = 255;

/** Cut to characters, and not trimmed again (spec 3-marketing §3.2 D3). */
export const copyName = (name: string): string => [...`Copy of ${name}`].slice(0, MAX_NAME).join('');
