import type { RedocRawOptions } from 'redoc';

const SANS = "'Inter', 'Segoe UI', system-ui, -apple-system, 'Helvetica Neue', 'Noto Sans', sans-serif";
const MONO =
  "ui-monospace, 'SF Mono', 'JetBrains Mono', 'Cascadia Code', Menlo, Consolas, 'DejaVu Sans Mono', monospace";

// The light colours of the console (styles.css). Redoc calculates with them, so they are no variables, and it has white
// grounds that no theme changes: the reference has no dark look.
const INK = '#1b2230';
const INK_2 = '#454e5e';
const INK_3 = '#5a626f';
const SUNKEN = '#f3f1ed';
const ACCENT = '#1d4fc4';
const NIGHT = '#171c25';

export const LOOK: NonNullable<RedocRawOptions['theme']> = {
  spacing: { sectionVertical: 24 },
  colors: {
    primary: { main: ACCENT },
    success: { main: '#12683c' },
    warning: { main: '#805000' },
    error: { main: '#ad2015' },
    text: { primary: INK, secondary: INK_3 },
  },
  schema: {
    typeNameColor: INK_2,
    typeTitleColor: INK_2,
    requireLabelColor: '#ad2015',
    nestedBackground: '#faf9f7',
  },
  sidebar: { width: '272px', backgroundColor: SUNKEN, textColor: INK, activeTextColor: ACCENT },
  rightPanel: { backgroundColor: NIGHT, width: '42%' },
  typography: {
    fontFamily: SANS,
    fontSize: '14px',
    headings: { fontFamily: SANS, fontWeight: '600' },
    code: { fontFamily: MONO, fontSize: '12px', color: INK, backgroundColor: SUNKEN },
    links: { color: ACCENT, visited: ACCENT, hover: ACCENT },
  },
};
