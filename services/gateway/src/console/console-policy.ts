/** The page: content of its own origin, no inline code or styles, no string becomes code. */
const PAGE = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
];

/**
 * The frame around the HTML of a message: its own script puts the message into a second frame that may run nothing. Styles
 * are inline, as mail has them; nothing is fetched, so a sender does not learn that the message was looked at here.
 */
const FRAME = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "frame-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
];

/** After the reader has asked for remote images. */
const FRAME_WITH_IMAGES = FRAME.map((directive) =>
  directive.startsWith('img-src') ? 'img-src data: https: http:' : directive,
);

const FRAMES: Readonly<Record<string, readonly string[]>> = {
  'mail-frame.html': FRAME,
  'mail-frame-images.html': FRAME_WITH_IMAGES,
};

/** @param path below `/console/` */
export const policyOf = (path: string): string => (FRAMES[path] ?? PAGE).join('; ');
