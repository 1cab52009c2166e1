/** Colours by role, for light and for dark: those of the console (services/console/src/styles.css). */
export const COLOURS = {
  canvas: ['#faf9f7', '#10141b'],
  surface: ['#ffffff', '#171c25'],
  sunken: ['#f3f1ed', '#0c1016'],
  line: ['#e5e1da', '#262d3a'],
  edge: ['#8b8579', '#6b7688'],
  ink: ['#1b2230', '#e8eaf0'],
  'ink-2': ['#454e5e', '#b9c0cc'],
  'ink-3': ['#646c79', '#949dac'],
  accent: ['#1d4fc4', '#93b4ff'],
  'accent-soft': ['#e8eefb', '#1c2a49'],
  good: ['#12683c', '#74d5a0'],
  'good-soft': ['#e4f3ea', '#11301f'],
  warn: ['#805000', '#ecbd63'],
  'warn-soft': ['#faefd8', '#33270f'],
  bad: ['#ad2015', '#ff958b'],
  'bad-soft': ['#fcebe9', '#3b1916'],
} as const;
type Colour = keyof typeof COLOURS;

const variables = (names: readonly Colour[], at: 0 | 1): string =>
  names.map((name) => `--${name}:${COLOURS[name][at]}`).join(';');

/** Custom properties of these colours; dark where the reader's system is. Works in browsers without `light-dark()`. */
export const colourStyle = (names: readonly Colour[]): string =>
  `:root{color-scheme:light dark;${variables(names, 0)}}
@media(prefers-color-scheme:dark){:root{${variables(names, 1)}}}`;

/** The stripes of airmail, as a background. */
export const AIRMAIL =
  'repeating-linear-gradient(-55deg,#d9483b 0 10px,transparent 10px 18px,#3f73d8 18px 28px,transparent 28px 36px)';

export const FONT = "'Inter','Segoe UI',system-ui,-apple-system,'Helvetica Neue','Noto Sans',sans-serif";
